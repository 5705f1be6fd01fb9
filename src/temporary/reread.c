#include "temporary/reread.h"

#include "base/arithmetic.h"

void reread_append(struct reread *reread, struct spill_place *place, const uint8_t *data, size_t bytes)
{
    union {
        const uint8_t *in;
        void *out; /* only read */
    } base = {data};
    const struct iovec piece = {.iov_base = base.out, .iov_len = bytes};

    if (bytes == 0)
        return;
    if (reread->storage == NULL)
        reread->storage = spill_open(place, 1);
    storage_write(reread->storage, 0, &piece, 1);
}

void reread_begin(struct reread *reread)
{
    storage_reader_init(&reread->reader, reread->storage, 0);
}

size_t reread_next(struct reread *reread, uint8_t *data, size_t bytes)
{
    const struct iovec piece = {.iov_base = data, .iov_len = (size_t)least(bytes, reread->reader.left)};

    storage_reader_read(&reread->reader, &piece, 1);
    if (reread->reader.left == 0)
        reread_release(reread);
    return piece.iov_len;
}

void reread_release(struct reread *reread)
{
    if (reread->storage == NULL)
        return;
    storage_reader_release(&reread->reader);
    storage_free(reread->storage);
    *reread = (struct reread){.storage = NULL};
}
