#include "basis/input/molecule_comment.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum quantity { CHARGE, MULTIPLICITY, UNPAIRED, SPIN, UNIT };

/* Names without - and _. Overloaded ones have other meanings, too: they count only before = and
 * with a value that they can have. */
static const struct comment_key {
    const char *name;
    enum quantity quantity;
    bool overloaded;
} comment_keys[] = {
    {"charge", CHARGE, false},
    {"totalcharge", CHARGE, false},
    {"netcharge", CHARGE, false},
    {"molecularcharge", CHARGE, false},
    {"chrg", CHARGE, false},
    {"q", CHARGE, true},
    {"multiplicity", MULTIPLICITY, false},
    {"mult", MULTIPLICITY, false},
    {"spinmultiplicity", MULTIPLICITY, false},
    {"molecularmultiplicity", MULTIPLICITY, false},
    {"2s+1", MULTIPLICITY, false},
    {"unpaired", UNPAIRED, false},
    {"nunpaired", UNPAIRED, false},
    {"unpairedelectrons", UNPAIRED, false},
    {"nopen", UNPAIRED, false},
    {"uhf", UNPAIRED, true},
    {"2s", UNPAIRED, true},
    {"spin", SPIN, false},
    {"totalspin", SPIN, false},
    {"s", SPIN, true},
    {"ms", SPIN, true},
    {"sz", SPIN, true},
    {"units", UNIT, false},
    {"unit", UNIT, false},
};

struct comment_reading {
    const struct line_reader *reader;
    const struct molecule_settings *settings;
    struct molecule_comment *comment;
    const char *next;         /* in the line */
    bool mentioned[UNIT + 1]; /* by a key without a value */
    struct word spin;         /* an ambiguous one, as written; empty: none */
    double spin_value;
};

static bool one_of(char c, const char *characters)
{
    return c && strchr(characters, c);
}

static bool key_matches(struct word word, const char *name)
{
    for (size_t i = 0; i < word.length; i++) {
        if (one_of(word.begin[i], "-_"))
            continue;
        /* A NUL in the file would match the end of the name. */
        if (!*name || tolower((unsigned char)word.begin[i]) != *name++)
            return false;
    }
    return *name == '\0';
}

static const struct comment_key *find_comment_key(struct word word)
{
    for (size_t k = 0; k < sizeof comment_keys / sizeof comment_keys[0]; k++)
        if (key_matches(word, comment_keys[k].name))
            return &comment_keys[k];
    return NULL;
}

static bool is_whole(struct word value, int *number)
{
    double real;
    if (!word_to_real(value, &real) || real != floor(real) || fabs(real) > 1e6)
        return false;
    *number = (int)real;
    return true;
}

/* --- values --- */

static enum status set_number(const struct comment_reading *reading, const char *what, int value,
                              bool overruled, bool *given, int *number)
{
    if (*given && *number != value && !overruled)
        return line_reader_fail(reading->reader,
                                "the comment line gives two values of the %s, %d and %d: leave one "
                                "out",
                                what, *number, value);
    *given = true;
    *number = value;
    return STATUS_OK;
}

static enum status set_charge(const struct comment_reading *reading, int charge)
{
    struct molecule_comment *comment = reading->comment;
    return set_number(reading, "charge", charge, reading->settings->charge_given,
                      &comment->charge_given, &comment->charge);
}

static enum status set_multiplicity(const struct comment_reading *reading, int multiplicity)
{
    struct molecule_comment *comment = reading->comment;
    return set_number(reading, "multiplicity", multiplicity, reading->settings->multiplicity_given,
                      &comment->multiplicity_given, &comment->multiplicity);
}

static enum status set_unit(const struct comment_reading *reading, struct word value)
{
    struct molecule_comment *comment = reading->comment;
    bool is_bohr = word_equals(value, "bohr");
    if (!is_bohr && !word_equals(value, "angstrom"))
        return reading->settings->unit_given
                   ? STATUS_OK
                   : line_reader_fail(reading->reader,
                                      "units= expects bohr or angstrom, found '%s'",
                                      word_show(value).text);
    enum length_unit unit = is_bohr ? LENGTH_BOHR : LENGTH_ANGSTROM;
    if (comment->unit_given && comment->unit != unit && !reading->settings->unit_given)
        return line_reader_fail(reading->reader,
                                "the comment line gives two units, bohr and angstrom: leave one "
                                "out");
    comment->unit_given = true;
    comment->unit = unit;
    return STATUS_OK;
}

/* 0 is a singlet in each convention; other spins wait for a multiplicity. */
static enum status note_spin(struct comment_reading *reading, struct word key, struct word value,
                             bool overloaded)
{
    double spin;
    bool number = word_to_real(value, &spin);
    if (number && spin == 0)
        return set_multiplicity(reading, 1);
    if (number ? 2 * spin != floor(2 * spin) : overloaded)
        return STATUS_OK;
    reading->spin = (struct word){key.begin, (size_t)(value.begin + value.length - key.begin)};
    reading->spin_value = number ? spin : NAN;
    return STATUS_OK;
}

static enum status use_comment_entry(struct comment_reading *reading, struct word key_word,
                                     const struct comment_key *key, struct word value)
{
    const struct molecule_settings *settings = reading->settings;
    int number;
    if (key->quantity == UNIT)
        return set_unit(reading, value);
    if (key->quantity == SPIN)
        return note_spin(reading, key_word, value, key->overloaded);
    bool is_charge = key->quantity == CHARGE, is_number = is_whole(value, &number);
    if (is_number && (key->quantity != UNPAIRED || number >= 0))
        return is_charge ? set_charge(reading, number)
                         : set_multiplicity(reading, number + (key->quantity == UNPAIRED));
    if (key->overloaded || (is_charge ? settings->charge_given : settings->multiplicity_given))
        return STATUS_OK;
    return line_reader_fail(
        reading->reader, "%s= expects a whole number%s, found '%s'", word_show(key_word).text,
        key->quantity == UNPAIRED ? " of unpaired electrons" : "", word_show(value).text);
}

/* --- words --- */

static void skip_any(struct comment_reading *reading, const char *end, const char *characters)
{
    while (reading->next < end && one_of(*reading->next, characters))
        reading->next++;
}

static struct word take_until(struct comment_reading *reading, const char *end,
                              const char *characters)
{
    struct word word = {reading->next, 0};
    while (reading->next < end && !one_of(*reading->next, characters))
        reading->next++;
    word.length = (size_t)(reading->next - word.begin);
    return word;
}

/* A value, which in quotes may hold spaces and an = that begins no entry. */
static struct word take_value(struct comment_reading *reading, const char *end)
{
    skip_any(reading, end, " \t");
    bool quoted = reading->next < end && one_of(*reading->next, "\"'");
    char quote[2] = {quoted ? *reading->next++ : ' ', '\0'};
    struct word value = take_until(reading, end, quoted ? quote : " \t\r,;|\"'");
    if (quoted && reading->next < end)
        reading->next++;
    while (!quoted && value.length > 0 && one_of(value.begin[value.length - 1], ")]}>"))
        value.length--;
    return value;
}

/* Whether a whole number follows after some of these characters; the reading stays. */
static bool number_follows(const struct comment_reading *reading, const char *end,
                           const char *between)
{
    struct comment_reading ahead = *reading;
    int64_t number;
    skip_any(&ahead, end, between);
    return ahead.next > reading->next && word_to_integer(take_value(&ahead, end), &number);
}

/* The entry of a key that is known; sign: = or :, or 0 for neither. */
static enum status read_known_entry(struct comment_reading *reading, const char *end,
                                    struct word key_word, const struct comment_key *key, char sign)
{
    const struct molecule_settings *settings = reading->settings;
    bool is_option = key_word.begin[0] == '-' && key_word.begin[1] == '-';
    bool has_value = sign == '=' || ((!key->overloaded || is_option) &&
                                     (sign == ':' || number_follows(reading, end, " \t")));
    if (!has_value) {
        reading->mentioned[key->quantity] = !key->overloaded;
        return STATUS_OK;
    }
    struct word value = take_value(reading, end);
    bool other_waits = (key->quantity == MULTIPLICITY && reading->mentioned[CHARGE]) ||
                       (key->quantity == CHARGE && reading->mentioned[MULTIPLICITY]);
    bool overruled = settings->charge_given && settings->multiplicity_given;
    if (other_waits && !overruled && (!sign || number_follows(reading, end, " \t,/")))
        return line_reader_fail(reading->reader,
                                "the comment line names charge and multiplicity before their "
                                "numbers: write charge=Q multiplicity=M");
    reading->mentioned[key->quantity] = false;
    return use_comment_entry(reading, key_word, key, value);
}

/* All entries of the line. */
static enum status read_entries(struct comment_reading *reading, const char *end)
{
    for (;;) {
        skip_any(reading, end, " \t\r,;|/\"'([{<=:");
        if (reading->next == end)
            return STATUS_OK;
        struct word key_word = take_until(reading, end, " \t\r,;|/\"'=:");
        const struct comment_key *key = find_comment_key(key_word);
        struct comment_reading ahead = *reading;
        skip_any(&ahead, end, " \t\"'");
        char sign = ahead.next < end && one_of(*ahead.next, "=:") ? *ahead.next : '\0';
        if (sign && (key || sign == '='))
            reading->next = ahead.next + 1;
        if (key)
            TRY(read_known_entry(reading, end, key_word, key, sign));
        else if (sign == '=')
            take_value(reading, end);
    }
}

/* --- whole lines --- */

/* The words of a line, which blanks or commas may separate; at most n are set. */
static int split_comment(const struct line_reader *reader, int n, struct word words[])
{
    const char *end = reader->all.begin + reader->all.length;
    struct comment_reading reading = {.next = reader->all.begin};
    int found = 0;
    for (; found < n; found++) {
        skip_any(&reading, end, " \t\r,");
        if (reading.next == end)
            break;
        words[found] = take_until(&reading, end, " \t\r,");
    }
    return found;
}

/* Numbers without keys: charge and multiplicity if they are two and alone. */
static enum status read_bare_numbers(const struct comment_reading *reading)
{
    const struct line_reader *reader = reading->reader;
    struct word words[3];
    int64_t charge, multiplicity;
    int n = split_comment(reader, 3, words);
    if (n == 0 || !word_to_integer(words[0], &charge))
        return STATUS_OK;
    if (n == 1 && one_of(words[0].begin[0], "+-"))
        return line_reader_fail(reader,
                                "the comment line '%s' may be a charge: write charge=%s, or begin "
                                "with a word",
                                word_show(words[0]).text, word_show(words[0]).text);
    if (n == 1 || !word_to_integer(words[1], &multiplicity))
        return STATUS_OK;
    bool small = charge >= -9 && charge <= 9 && multiplicity >= 1 && multiplicity <= 9;
    /* A comma belongs to a name: 1,2 dichloroethane. */
    if (n == 3 && (!small || reader->words[0].length > words[0].length))
        return STATUS_OK;
    if (n == 3 || !small)
        return line_reader_fail(reader,
                                "the comment line begins with two whole numbers, which may be "
                                "charge and multiplicity: write charge=Q multiplicity=M, or begin "
                                "with a word");
    TRY(set_charge(reading, (int)charge));
    return set_multiplicity(reading, (int)multiplicity);
}

/* A spin without a multiplicity, or with one that it cannot mean. */
static enum status check_spin(const struct comment_reading *reading)
{
    const struct molecule_comment *comment = reading->comment;
    double spin = reading->spin_value, multiplicity = comment->multiplicity;
    if (reading->settings->multiplicity_given || reading->spin.length == 0)
        return STATUS_OK;
    if (comment->multiplicity_given &&
        (multiplicity == 2 * spin + 1 || multiplicity == spin + 1 || multiplicity == spin))
        return STATUS_OK;
    return line_reader_fail(reading->reader,
                            "'%s' may mean S, 2S or 2S+1: write multiplicity=M instead, M being "
                            "2S+1, or give --multiplicity M",
                            word_show(reading->spin).text);
}

enum status molecule_comment_read(const struct line_reader *reader,
                                  const struct molecule_settings *settings,
                                  struct molecule_comment *comment)
{
    struct comment_reading reading = {
        .reader = reader, .settings = settings, .comment = comment, .next = reader->all.begin};
    *comment = (struct molecule_comment){0};
    TRY(read_entries(&reading, reader->all.begin + reader->all.length));
    TRY(check_spin(&reading));
    bool named = reading.mentioned[MULTIPLICITY] || reading.mentioned[UNPAIRED];
    if (named && !comment->multiplicity_given && !settings->multiplicity_given)
        return line_reader_fail(reader, "the comment line names a multiplicity without a number: "
                                        "write multiplicity=M");
    bool given = comment->charge_given || comment->multiplicity_given;
    bool overruled = settings->charge_given && settings->multiplicity_given;
    return given || overruled ? STATUS_OK : read_bare_numbers(&reading);
}
