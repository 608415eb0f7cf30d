/* SPDX-License-Identifier: BSD-3-Clause */
/* Style sheet and script of the page: page.css and page.js, put in by the build. */
#pragma once

extern const char page_style[];

/* Opens the target of a link; zooms and moves the lanes of workers, which are shown completely
 * without it. Positions in their plot are millionths of the time shown when nothing is zoomed. */
extern const char page_script[];
