#ifndef BIGSHUF_INPUT_LENDER_H
#define BIGSHUF_INPUT_LENDER_H

/* Input files that are mapped instead of being read, one after another, in windows. What happens to such a file is told
 * as if it had been read, also when it is only noticed as a window is looked at (SIGBUS): then the process ends. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "input/mapping.h"
#include "system/file_mark.h"
#include "system/signals.h"

struct lender {
    struct mapping mapping; /* its base is NULL if there is none */
    const char *const *names;
    const struct file_mark *marks;
    struct signals_guard guard;
    uint8_t *at;        /* of the file that is lent: the next byte, */
    uint8_t *last;      /* and the end */
    uint8_t *forgotten; /* the memory before this has been given back */
};

/* Map `count` files, which have been marked and take no more than `room` bytes, with `start` for the position of
 * standard input ("-"). All must stay where they are: the lender, the names and the marks. 0, or -1 without a report.
 */
int lender_open(struct lender *lender, const char *const *names, const struct file_mark *marks, size_t count,
                off_t start, uint64_t room);
void lender_close(struct lender *lender); /* also when zeroed */
void lender_restart(struct lender *lender);

/* Lend file `i` next, which is open at the end of its header, of which `beyond` more bytes have been read. Standard
 * input is left at its end. */
void lender_begin(struct lender *lender, size_t i, int fd, size_t beyond);

/* How many bytes come next, at most `bytes`: up to the end of a page, so that pages can be forgotten as a whole. */
size_t lender_next(const struct lender *lender, size_t bytes);

/* Put bytes behind the file, at most MAPPING_BEHIND_BYTES less what whoever looks may overshoot. */
void lender_append(struct lender *lender, const uint8_t *data, size_t bytes);

/* Nobody will look any more at what came before `end`, until lender_restart. */
void lender_forget(struct lender *lender, const uint8_t *end);

/* All files must be what they were. */
void lender_check(const struct lender *lender);

#endif
