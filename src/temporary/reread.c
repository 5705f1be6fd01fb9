#include "temporary/reread.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "system/fault.h"

void reread_append(struct reread *reread, struct spill_place *place, const uint8_t *data, size_t bytes)
{
    union {
        const uint8_t *in;
        void *out; /* which nobody writes to */
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

static size_t read_piece(struct reread *reread, uint8_t *data, size_t bytes)
{
    const struct iovec piece = {.iov_base = data, .iov_len = (size_t)least(bytes, reread->reader.left)};

    storage_reader_read(&reread->reader, &piece, 1);
    return piece.iov_len;
}

void reread_verify(struct reread *reread, uint8_t *buffer, size_t bytes)
{
    reread_begin(reread);
    reread->sum = fault_allocate((size_t)(reread->reader.left / bytes + 1), sizeof *reread->sum);
    for (size_t i = 0; reread->reader.left > 0; i++) {
        const size_t got = read_piece(reread, buffer, bytes);

        reread->sum[i] = xxh64(buffer, got);
    }
    storage_reader_release(&reread->reader);
    reread_begin(reread);
}

size_t reread_next(struct reread *reread, uint8_t *data, size_t bytes)
{
    const size_t got = read_piece(reread, data, bytes);

    if (reread->sum != NULL && xxh64(data, got) != reread->sum[reread->next++])
        reread->storage->kind->report(reread->storage, 0);
    if (reread->reader.left == 0)
        reread_release(reread);
    return got;
}

void reread_release(struct reread *reread)
{
    if (reread->storage == NULL)
        return;
    storage_reader_release(&reread->reader);
    storage_free(reread->storage);
    free(reread->sum);
    *reread = (struct reread){.storage = NULL};
}
