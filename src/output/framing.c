/* The last START of a file is not written. Nobody knows which bytes are the last ones before the next file begins, so
 * as many as START has are always held back, and dropped with the file. */

#include "output/framing.h"

#include <string.h>

#include "base/least.h"

int framing_begin(struct framing_file *file, const struct framing *form, int (*write)(void *, const void *, size_t),
                  void *context)
{
    file->form = form;
    file->write = write;
    file->context = context;
    file->begun = false;
    file->last_bytes = 0;
    return form->header_bytes == 0 ? 0 : write(context, form->header, form->header_bytes);
}

static void translate(const struct framing *form, uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = data[i] == form->from ? form->to : data[i];
}

/* Write all but the last bytes of what was held back and data[0, bytes), and hold those back. */
static int write_held_back(struct framing_file *file, const uint8_t *data, size_t bytes)
{
    size_t hold = file->form->start_bytes;
    size_t total = file->last_bytes + bytes;
    size_t ready = total > hold ? total - hold : 0;
    size_t old = least_size(ready, file->last_bytes);

    if (old > 0 && file->write(file->context, file->last, old) != 0)
        return -1;
    memmove(file->last, file->last + old, file->last_bytes - old);
    file->last_bytes -= old;
    ready -= old;
    if (ready > 0 && file->write(file->context, data, ready) != 0)
        return -1;
    memcpy(file->last + file->last_bytes, data + ready, bytes - ready);
    file->last_bytes += bytes - ready;
    return 0;
}

int framing_write(struct framing_file *file, uint8_t *data, size_t bytes)
{
    const struct framing *form = file->form;

    if (bytes == 0)
        return 0;
    if (form->translates)
        translate(form, data, bytes);
    if (form->start_bytes == 0)
        return file->write(file->context, data, bytes);
    if (!file->begun && file->write(file->context, form->start, form->start_bytes) != 0)
        return -1;
    file->begun = true;
    return write_held_back(file, data, bytes);
}
