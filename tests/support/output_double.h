#ifndef BIGSHUF_TESTS_OUTPUT_DOUBLE_H
#define BIGSHUF_TESTS_OUTPUT_DOUBLE_H

/* The functions of an output that a test puts in place of output.c, and that do nothing in any of them. To be included
 * by the file of the tests, once, which has the others. */

#include "output/output.h"

void output_use_margin(struct output *output, const struct record_margin *margin)
{
    (void)output;
    (void)margin;
}

void output_write_behind(struct output *output)
{
    (void)output;
}

#endif
