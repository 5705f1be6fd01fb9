#ifndef BIGSHUF_OUTPUT_BUFFER_H
#define BIGSHUF_OUTPUT_BUFFER_H

/* A buffer between many small writes and an output. Whoever writes often may write to `at` itself, up to `end`; the
 * function below does it for any number of bytes. */

#include <stddef.h>
#include <stdint.h>

#include "output/output.h"

struct output_buffer {
    uint8_t *buffer;
    uint8_t *at; /* where the next byte goes */
    uint8_t *end;
    /* NULL, or the buffer's margin (record.h), for whoever writes; its first mark is another buffer's. */
    uint8_t *marks;
    void (*drain)(void *context); /* empties it, with output_buffer_drain; called when it is full */
    void *context;                /* of drain */
};

/* Make it empty, in buffer[0, bytes), which must stay. */
void output_buffer_init(struct output_buffer *to, uint8_t *buffer, size_t bytes, void (*drain)(void *context),
                        void *context);

/* Put bytes into it, and call `drain` whenever it is full. */
void output_buffer_put(struct output_buffer *to, const uint8_t *data, size_t bytes);

/* Write what is in it to an output; then it is empty. */
void output_buffer_drain(struct output_buffer *to, struct output *output);

#endif
