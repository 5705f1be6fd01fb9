/* The fast paths of those who fill outlets write to `at` themselves; this is the general one. */

#include "output/buffer.h"

#include <string.h>

void output_buffer_init(struct output_buffer *outlet, uint8_t *buffer, size_t bytes, int (*drain)(void *context),
                        void *context)
{
    *outlet = (struct output_buffer){
        .buffer = buffer, .at = buffer, .end = buffer + bytes, .drain = drain, .context = context};
}

int output_buffer_put(struct output_buffer *outlet, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        size_t room = (size_t)(outlet->end - outlet->at);

        if (room == 0) {
            if (outlet->drain(outlet->context) != 0)
                return -1;
            continue;
        }
        room = room < bytes ? room : bytes;
        memcpy(outlet->at, data, room);
        outlet->at += room;
        data += room;
        bytes -= room;
    }
    return 0;
}

int output_buffer_drain(struct output_buffer *outlet, struct output *output)
{
    size_t bytes = (size_t)(outlet->at - outlet->buffer);

    outlet->at = outlet->buffer;
    return bytes == 0 ? 0 : output_write(output, outlet->buffer, bytes);
}
