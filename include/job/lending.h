#ifndef BIGSHUF_JOB_LENDING_H
#define BIGSHUF_JOB_LENDING_H

/* Inputs that are not copied before they are written, but mapped or held, as supply.h decides. */

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "job/supply.h"
#include "record/record.h"

/* Map a source, and put into `facts` what that shows. */
void lending_map(struct source *source, const struct record_format *format, struct facts *facts);

/* Read an input that can be read only once, and whose records are used once, into the pool, as far as that has room for
 * it and for references to its records, if these are long. Returns whether all of it is held; else it is to be read on,
 * with what was held in front. */
bool lending_hold(struct source *source, const struct record_format *format, struct pool *pool);

#endif
