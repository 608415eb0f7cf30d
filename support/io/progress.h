/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of one piece of long work at a time, such as a Fock build, as a line on standard
 * error: "Fock build [########............]  43 %, 12 s left". Only of the process that prints
 * (log.h), and but for progress_text only on a terminal. Functions are no-ops elsewhere, and between
 * pieces. */
#pragma once

/* --- the line --- */

/* Begins a piece of work, in place of an unfinished one. what  copied */
void progress_begin(const char *what);

/* Later fractions count in a part of the piece, from fraction first to last of the whole. */
void progress_part(double first, double last);

/* This fraction of the part needs no time: it was done before, by an earlier run. */
void progress_skip(double fraction);

/* A fraction in [0, 1] of the part is done. Redrawn at most five times a second. Less than before
 * counts as no progress: a mode may know more tasks now than it did. */
void progress_show(double fraction);

/* A line of a piece whose fraction is unknown; redrawn likewise. Where standard error is no terminal,
 * printed every ten seconds, so that the log of a long run shows that it goes on. */
void progress_text(const char *text);

/* Ends the piece and erases the line. */
void progress_end(void);

/* --- the time left --- */

/* All times in seconds on one clock. */
struct progress_estimate {
    double start_s;
    double fraction; /* largest so far, in [0, 1] */
    double skipped;  /* of it took no time */
    double total_s;  /* estimate of the duration, smoothed; 0: none yet */
    double sample_s; /* of the last sample that it contains */
};

void progress_estimate_begin(struct progress_estimate *estimate, double now_s);

/* A further fraction takes no time. */
void progress_estimate_skip(struct progress_estimate *estimate, double fraction);

/* Takes a sample: this fraction is done, or what was before, if that is more. */
void progress_estimate_advance(struct progress_estimate *estimate, double fraction, double now_s);

/* Seconds left, >= 0; -1 in the first 2 s and before 2 % are done, when an estimate would be far
 * off. */
double progress_estimate_left_s(const struct progress_estimate *estimate, double now_s);

enum { PROGRESS_LEFT_SIZE = 24 };

/* ", 12 s left", or minutes or hours from 100 of the smaller unit on; rounded up. "" of -1. */
void progress_left_text(double left_s, char text[PROGRESS_LEFT_SIZE]);
