/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/progress.h"

#include "support/base/clock.h"
#include "support/base/log.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* --- the time left --- */

static const double QUIET_S = 2, QUIET_FRACTION = 0.02;

/* Samples count less with age, by a factor of e for this fraction of the time so far: tasks of
 * unequal length make single samples jump. */
static const double MEMORY_FRACTION = 0.2;

void progress_estimate_begin(struct progress_estimate *estimate, double now_s)
{
    *estimate = (struct progress_estimate){.start_s = now_s, .sample_s = now_s};
}

void progress_estimate_skip(struct progress_estimate *estimate, double fraction)
{
    estimate->skipped += fraction;
}

/* The fraction done of the work that was not skipped. */
static double timed_fraction(const struct progress_estimate *estimate)
{
    return estimate->skipped < 1
               ? fmax(estimate->fraction - estimate->skipped, 0) / (1 - estimate->skipped)
               : 0;
}

void progress_estimate_advance(struct progress_estimate *estimate, double fraction, double now_s)
{
    double elapsed_s = now_s - estimate->start_s, since_s = now_s - estimate->sample_s;
    if (fraction > estimate->fraction)
        estimate->fraction = fmin(fraction, 1);
    double timed = timed_fraction(estimate);
    if (timed <= 0 || elapsed_s <= 0)
        return;
    double total_s = elapsed_s / timed;
    double weight = estimate->total_s > 0 ? 1 - exp(-since_s / (MEMORY_FRACTION * elapsed_s)) : 1;
    estimate->total_s += weight * (total_s - estimate->total_s);
    estimate->sample_s = now_s;
}

double progress_estimate_left_s(const struct progress_estimate *estimate, double now_s)
{
    double elapsed_s = now_s - estimate->start_s;
    if (elapsed_s < QUIET_S || timed_fraction(estimate) < QUIET_FRACTION)
        return -1;
    return fmax(estimate->total_s - elapsed_s, 0);
}

void progress_left_text(double left_s, char text[PROGRESS_LEFT_SIZE])
{
    static const char *const units[] = {"s", "min", "h"};
    int unit = 0;
    text[0] = '\0';
    if (left_s < 0)
        return;
    for (; unit < 2 && left_s > 99; unit++)
        left_s /= 60;
    snprintf(text, PROGRESS_LEFT_SIZE, ", %.0f %s left", fmax(ceil(left_s), 1), units[unit]);
}

/* --- the line --- */

static const double REDRAWN_EVERY_S = 0.2, PRINTED_EVERY_S = 10;

static struct {
    bool begun;
    char what[64];
    double first, last; /* of the part at hand */
    struct progress_estimate estimate;
    bool drawn; /* there is a line to be erased */
    double drawn_s;
    double printed_s; /* or the first call of progress_text */
} piece;

/* Whether it is time to draw the line again, which the caller then does. */
static bool redraw_is_due(double now_s)
{
    if (!log_progress_visible() || now_s - piece.drawn_s < REDRAWN_EVERY_S)
        return false;
    piece.drawn = true;
    piece.drawn_s = now_s;
    return true;
}

void progress_begin(const char *what)
{
    if (!log_progress_visible())
        return;
    piece.begun = true;
    snprintf(piece.what, sizeof piece.what, "%s", what);
    progress_part(0, 1);
    progress_estimate_begin(&piece.estimate, clock_now_s());
}

void progress_part(double first, double last)
{
    piece.first = first;
    piece.last = last;
}

void progress_skip(double fraction)
{
    if (piece.begun)
        progress_estimate_skip(&piece.estimate, fraction * (piece.last - piece.first));
}

/* Nothing is complete before progress_end. */
static void draw_bar(double now_s)
{
    enum { WIDTH = 20 };
    char bar[WIDTH + 1], left[PROGRESS_LEFT_SIZE];
    double fraction = fmin(piece.estimate.fraction, 0.99);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(fraction * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    progress_left_text(progress_estimate_left_s(&piece.estimate, now_s), left);
    fprintf(stderr, "\r%s [%s] %3.0f %%%s\033[K", piece.what, bar, floor(100 * fraction), left);
    fflush(stderr); /* of lines only, otherwise */
}

void progress_show(double fraction)
{
    double now_s = clock_now_s();
    if (!piece.begun || !redraw_is_due(now_s))
        return;
    progress_estimate_advance(&piece.estimate,
                              piece.first + (piece.last - piece.first) * fmin(fraction, 1), now_s);
    draw_bar(now_s);
}

void progress_text(const char *text)
{
    double now_s = clock_now_s();
    if (redraw_is_due(now_s)) {
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
    }
    if (piece.printed_s > 0 && now_s - piece.printed_s < PRINTED_EVERY_S)
        return;
    if (piece.printed_s > 0 && !log_progress_visible())
        log_note(text);
    piece.printed_s = now_s;
}

void progress_end(void)
{
    piece.begun = false;
    if (!piece.drawn)
        return;
    piece.drawn = false;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}
