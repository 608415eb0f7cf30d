/* Style sheet and script of the page. */
#ifndef BERYL_SCHED_REPORT_MARKUP_PAGE_STYLE_H
#define BERYL_SCHED_REPORT_MARKUP_PAGE_STYLE_H

/* For screens, light and dark, wide and narrow, and for paper. Text has a contrast of at least 4.5
 * with its background, marks of charts of at least 3 (WCAG 2.1, level AA). */
extern const char page_style[];

/* Zooms and moves the lanes of workers; without it they are shown as a whole. */
extern const char page_script[];

#endif
