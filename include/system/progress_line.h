#pragma once

/* The line of progress on standard error. A run neither waits for a reader of it, nor ends for lack of one. */

#include <stdbool.h>
#include <stddef.h>

/* Write lines to standard error, unless that would have to wait. */
void progress_line_say(const char *text, size_t bytes);

/* Draw a line on standard error, a terminal, and later draw it again in the same place, until it is erased. Other lines
 * that are written meanwhile must begin with PROGRESS_LINE_ERASE, in the same write. */
#define PROGRESS_LINE_ERASE "\r\033[K"
void progress_line_draw(const char *line, size_t bytes);
void progress_line_erase(void); /* called by the thread that draws, after its last line */
bool progress_line_is_drawn(void);

/* Erase it, and draw none from now on: the process ends. May be called by a signal handler. */
void progress_line_end(void);
