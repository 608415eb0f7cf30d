/* Style sheet and script of the page. */
#ifndef BERYL_SCHED_REPORT_MARKUP_PAGE_STYLE_H
#define BERYL_SCHED_REPORT_MARKUP_PAGE_STYLE_H

/* For screens, light and dark, wide and narrow, and for paper. Text has a contrast of at least 4.5
 * with its background, marks of charts of at least 3 (WCAG 2.1, level AA). */
extern const char page_style[];

/* Opens what a link leads to; zooms and moves the lanes of workers, which are shown as a whole
 * without it. */
extern const char page_script[];

#endif
