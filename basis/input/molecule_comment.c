#include "basis/input/molecule_comment.h"

#include "basis/input/molecule_comment_key.h"

#include <math.h>
#include <string.h>

struct comment_reading {
    const struct line_reader *reader;
    const struct molecule_settings *settings;
    struct molecule_comment *comment;
    const char *next;         /* in the line */
    bool mentioned[UNIT + 1]; /* by a key without a value */
    struct word spin;         /* an ambiguous one, as written; empty: none */
    double spin_value;
    struct word hints[UNIT + 1]; /* the first ones, as written */
    struct word weak_hint;
    struct word charge_letter; /* C= or C: with its number */
    bool of_topic;             /* what comes next is said of a topic */
    bool has_elements;         /* symbols with numbers: H:6 */
};

static bool one_of(char c, const char *characters)
{
    return c && strchr(characters, c);
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
    enum length_unit unit;
    if (!comment_unit_find(value, &unit))
        return reading->settings->unit_given
                   ? STATUS_OK
                   : line_reader_fail(reading->reader,
                                      "units= expects bohr or angstrom, found '%s'",
                                      word_show(value).text);
    if (comment->unit_given && comment->unit != unit && !reading->settings->unit_given)
        return line_reader_fail(reading->reader,
                                "the comment line gives two units, bohr and angstrom: leave one "
                                "out");
    comment->unit_given = true;
    comment->unit = unit;
    return STATUS_OK;
}

/* 0 is a singlet in each convention; other spins wait for a multiplicity. No molecule has a spin
 * of S = 300, which is a temperature or an entropy. */
static enum status note_spin(struct comment_reading *reading, struct word key, struct word value,
                             bool overloaded)
{
    enum { MAX_SPIN = 50 };
    double spin;
    bool number = word_to_real(value, &spin);
    if (number && spin == 0)
        return set_multiplicity(reading, 1);
    bool possible = !overloaded || (number && fabs(spin) <= MAX_SPIN);
    if (!possible || (number && 2 * spin != floor(2 * spin)))
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
    bool overloaded = key->kind == OVERLOADED;
    if (key->quantity == SPIN)
        return note_spin(reading, key_word, value, overloaded);
    bool is_charge = key->quantity == CHARGE, is_number = is_whole(value, &number);
    if (is_number && (key->quantity != UNPAIRED || number >= 0))
        return is_charge ? set_charge(reading, number)
                         : set_multiplicity(reading, number + (key->quantity == UNPAIRED));
    if (overloaded || (is_charge ? settings->charge_given : settings->multiplicity_given))
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

static struct word join_words(struct word first, struct word last)
{
    return (struct word){first.begin, (size_t)(last.begin + last.length - first.begin)};
}

static bool is_small_number(int64_t number)
{
    return number >= -9 && number <= 9;
}

static void keep_hint(struct comment_reading *reading, enum quantity quantity, struct word text)
{
    if (reading->hints[quantity].length == 0)
        reading->hints[quantity] = text;
}

/* The rest of a word that is no key but may say something. */
static void read_hint(struct comment_reading *reading, const char *end, struct word word,
                      const struct comment_key *key, char sign)
{
    int number;
    if (key->kind == HINT)
        keep_hint(reading, key->quantity, word);
    if (key->kind == WEAK_HINT && reading->of_topic)
        keep_hint(reading, UNIT, word);
    else if (key->kind == WEAK_HINT)
        reading->weak_hint = word;
    if (key->kind != LETTER || !sign)
        return;
    struct word value = take_value(reading, end);
    if (!is_whole(value, &number) || !is_small_number(number) ||
        number == (key->quantity == MULTIPLICITY))
        return;
    if (key->quantity == CHARGE)
        reading->charge_letter = join_words(word, value);
    else
        keep_hint(reading, key->quantity, join_words(word, value));
}

/* A word that is no key. */
static void read_other_word(struct comment_reading *reading, const char *end, struct word word,
                            char sign)
{
    reading->has_elements |= sign && element_number(word.begin, word.length) > 0;
    if (sign == '=')
        take_value(reading, end);
}

/* Mulliken charge: 0.123 */
static bool is_partial_charge(const struct comment_key *key, char sign, struct word value)
{
    double charge;
    return key->quantity == CHARGE && sign == ':' && word_to_real(value, &charge) &&
           charge != floor(charge);
}

/* The entry of a key that is known; sign: = or :, or 0 for neither. */
static enum status read_known_entry(struct comment_reading *reading, const char *end,
                                    struct word key_word, const struct comment_key *key, char sign)
{
    const struct molecule_settings *settings = reading->settings;
    bool is_option = key_word.begin[0] == '-' && key_word.begin[1] == '-';
    bool is_plain = key->kind == PLAIN;
    bool has_value = sign == '=' || ((is_plain || is_option) &&
                                     (sign == ':' || number_follows(reading, end, " \t")));
    if (!has_value) {
        reading->mentioned[key->quantity] = is_plain;
        return STATUS_OK;
    }
    struct word value = take_value(reading, end);
    if (is_partial_charge(key, sign, value))
        return STATUS_OK;
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
    static const char around_keys[] = " \t\r,;|/\"'#()[]{}<>=:";
    for (;;) {
        skip_any(reading, end, around_keys);
        if (reading->next == end)
            return STATUS_OK;
        struct word key_word = take_until(reading, end, around_keys);
        const struct comment_key *key = comment_key_find(key_word);
        struct comment_reading ahead = *reading;
        skip_any(&ahead, end, " \t\"')]}>");
        char sign = ahead.next < end && one_of(*ahead.next, "=:") ? *ahead.next : '\0';
        if (sign && (key || sign == '='))
            reading->next = ahead.next + 1;
        if (key && key->kind >= LETTER)
            read_hint(reading, end, key_word, key, sign);
        else if (key)
            TRY(read_known_entry(reading, end, key_word, key, sign));
        else
            read_other_word(reading, end, key_word, sign);
        if (key && key->kind == TOPIC)
            reading->of_topic = true;
        else if (!key || key->kind != COPULA)
            reading->of_topic = false;
    }
}

/* --- whole lines --- */

/* The words of a line, which blanks, commas, slashes or brackets may separate; at most n are set.
 */
static int split_comment(const struct line_reader *reader, int n, struct word words[])
{
    const char *end = reader->all.begin + reader->all.length, *between = " \t\r,/#()[]";
    struct comment_reading reading = {.next = reader->all.begin};
    int found = 0;
    for (; found < n; found++) {
        skip_any(&reading, end, between);
        if (reading.next == end)
            break;
        words[found] = take_until(&reading, end, between);
    }
    return found;
}

/* The first two of n numbers or words of a line that has no keys. */
static enum status use_two_numbers(struct comment_reading *reading, int n, struct word text,
                                   int64_t charge, int64_t multiplicity)
{
    bool small = is_small_number(charge) && is_small_number(multiplicity) && multiplicity >= 1;
    bool slash = memchr(text.begin, '/', text.length), comma = memchr(text.begin, ',', text.length);
    if (small && n == 2 && !slash) {
        TRY(set_charge(reading, (int)charge));
        return set_multiplicity(reading, (int)multiplicity);
    }
    /* 1,2 dichloroethane; 3/7/2024 */
    bool title = n > 2 && charge > 0 && (comma || text.begin[text.length] == '/');
    if (small ? title : n > 2 || slash)
        return STATUS_OK;
    if (!small || (n > 2 && charge <= 0))
        return line_reader_fail(reading->reader,
                                "the comment line begins with two whole numbers, which may be "
                                "charge and multiplicity: write charge=Q multiplicity=M, or begin "
                                "with a word");
    if (charge != 0)
        keep_hint(reading, CHARGE, text);
    if (multiplicity != 1)
        keep_hint(reading, MULTIPLICITY, text);
    return STATUS_OK;
}

/* Numbers without keys: charge and multiplicity if they are two and alone. */
static enum status read_bare_numbers(struct comment_reading *reading)
{
    const struct line_reader *reader = reading->reader;
    struct word words[3];
    int64_t charge, multiplicity;
    int n = split_comment(reader, 3, words);
    if (n == 0 || !word_to_integer(words[0], &charge))
        return STATUS_OK;
    bool is_signed = one_of(words[0].begin[0], "+-");
    if (is_signed && n == 1)
        return line_reader_fail(reader,
                                "the comment line '%s' may be a charge: write charge=%s, or begin "
                                "with a word",
                                word_show(reader->all).text, word_show(words[0]).text);
    if (is_signed && is_small_number(charge) && charge != 0)
        keep_hint(reading, CHARGE, words[0]);
    if (n == 1 || !word_to_integer(words[1], &multiplicity))
        return STATUS_OK;
    return use_two_numbers(reading, n, join_words(words[0], words[1]), charge, multiplicity);
}

/* Two numbers that end a title and may be charge and multiplicity: O2 0 3. Other text that ends so
 * counts something, from 1 on. */
static void note_last_numbers(struct comment_reading *reading)
{
    const struct word line = reading->reader->all;
    struct word words[LINE_MAX_WORDS];
    int64_t number, charge, multiplicity;
    int n = split_comment(reading->reader, LINE_MAX_WORDS, words);
    if (n < 3 || memchr(line.begin, '=', line.length) || memchr(line.begin, ':', line.length))
        return;
    if (word_to_integer(words[n - 3], &number) || !word_to_integer(words[n - 2], &charge) ||
        !word_to_integer(words[n - 1], &multiplicity))
        return;
    struct word both = join_words(words[n - 2], words[n - 1]);
    bool plausible = is_small_number(charge) && charge <= 0 && is_small_number(multiplicity) &&
                     multiplicity >= 1;
    if (plausible && charge != 0)
        keep_hint(reading, CHARGE, both);
    if (plausible && multiplicity != 1)
        keep_hint(reading, MULTIPLICITY, both);
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

/* Keeps a hint, for the warning, about a quantity that neither the line nor the command line
 * gives. */
static void keep_unread_hint(struct comment_reading *reading)
{
    const struct molecule_settings *settings = reading->settings;
    struct molecule_comment *comment = reading->comment;
    const bool given[] = {
        [CHARGE] = settings->charge_given || comment->charge_given,
        [MULTIPLICITY] = settings->multiplicity_given || comment->multiplicity_given,
        [UNIT] = settings->unit_given || comment->unit_given,
    };
    /* A cluster of gold has the title Au. */
    struct word weak = reading->weak_hint;
    bool is_gold = weak.length == 2 && memcmp(weak.begin, "Au", 2) == 0;
    bool alone = reading->reader->n_words == 1 && !is_gold;
    if (reading->mentioned[UNIT] || alone)
        keep_hint(reading, UNIT, weak);
    if (!reading->has_elements)
        keep_hint(reading, CHARGE, reading->charge_letter);
    note_last_numbers(reading);
    for (int q = UNIT; q >= CHARGE; q--)
        if (!given[q] && reading->hints[q].length > 0)
            comment->unread = word_show(reading->hints[q]);
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
    if (!given && !overruled)
        TRY(read_bare_numbers(&reading));
    keep_unread_hint(&reading);
    return STATUS_OK;
}
