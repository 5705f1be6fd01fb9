#include "output/buffer.h"

#include <string.h>

#include "record/tar_headers.h"

void output_buffer_init(struct output_buffer *to, uint8_t *buffer, size_t bytes, void (*drain)(void *context),
                        void *context)
{
    *to = (struct output_buffer){
        .buffer = buffer, .at = buffer, .end = buffer + bytes, .drain = drain, .context = context};
}

void output_buffer_put(struct output_buffer *to, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        size_t room = (size_t)(to->end - to->at);

        if (room == 0) {
            to->drain(to->context);
            continue;
        }
        room = room < bytes ? room : bytes;
        memcpy(to->at, data, room);
        to->at += room;
        data += room;
        bytes -= room;
    }
}

void output_buffer_drain(struct output_buffer *to, struct output *output)
{
    size_t bytes = (size_t)(to->at - to->buffer);

    to->at = to->buffer;
    if (bytes > 0)
        output_write(output, to->buffer, bytes);
    if (to->marks != NULL)
        memset(to->marks + 1, 0, bytes / TAR_BLOCK_BYTES);
}
