#ifndef BIGSHUF_OUTPUT_BUFFER_H
#define BIGSHUF_OUTPUT_BUFFER_H

/* A buffer for output, emptied when it is full. */

#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

struct outlet {
    uint8_t *buffer;
    uint8_t *at; /* where the next byte goes */
    uint8_t *end;
    int (*drain)(void *context); /* makes room: sets `at` back. 0, or -1 after a report */
    void *context;
};

/* An empty outlet over buffer[0, bytes). */
void outlet_init(struct outlet *outlet, uint8_t *buffer, size_t bytes, int (*drain)(void *context), void *context);

/* Put bytes into the outlet, draining it as often as it takes. 0, or -1 after a report. */
int outlet_put(struct outlet *outlet, const uint8_t *data, size_t bytes);

/* Write what is in the outlet to an output. 0, or -1 after a report. */
int outlet_drain(struct outlet *outlet, struct output *output);

#endif
