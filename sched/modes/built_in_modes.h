/* The modes of this library, in the order of --help: MODE(NAME) stands for mode_NAME, which
 * the file mode_NAME.c in this folder defines. A new mode is that file and a line here; the
 * build reads this list too. */
MODE(static)
MODE(counter)
MODE(share)
MODE(steal)
MODE(retentive)
MODE(persist)
MODE(dtree)
MODE(hybrid)
MODE(auto)
