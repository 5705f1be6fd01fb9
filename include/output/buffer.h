#ifndef BIGSHUF_OUTPUT_BUFFER_H
#define BIGSHUF_OUTPUT_BUFFER_H

/* A buffer for output, emptied when it is full. */

#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

struct output_buffer {
    uint8_t *buffer;
    uint8_t *at; /* where the next byte goes */
    uint8_t *end;
    int (*drain)(void *context); /* makes room: sets `at` back. 0, or -1 after a report */
    void *context;
};

/* An empty outlet over buffer[0, bytes). */
void output_buffer_init(struct output_buffer *outlet, uint8_t *buffer, size_t bytes, int (*drain)(void *context),
                        void *context);

/* Put bytes into the outlet, draining it as often as it takes. 0, or -1 after a report. */
int output_buffer_put(struct output_buffer *outlet, const uint8_t *data, size_t bytes);

/* Write what is in the outlet to an output. 0, or -1 after a report. */
int output_buffer_drain(struct output_buffer *outlet, struct output *output);

#endif
