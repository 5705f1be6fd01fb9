#pragma once

/* The bytes of piles that are not in memory: temporary files (spill.h), the file of a draft (store/draft.h), or those
 * of all batches of a store (store/batch.h). A pile is written at its end and read from front to back. Each kind of
 * storage makes sure that the bytes read are the bytes written. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/xxh64.h"
#include "temporary/frames.h"

enum { STORAGE_PIECES_MAX = 64 }; /* in one write or transfer: 64 blocks of 64 KiB are 4 MiB */

/* Each kind has a struct of its own that begins with this one. */
struct storage {
    const struct storage_kind *kind;
    bool loads; /* is it faster to read several piles at a time, by storage_kind.load? */
};

/* A pile that is being read; meanwhile it is neither written nor dropped. Its kind writes the fields. */
struct storage_reader {
    struct storage *storage;
    unsigned pile;
    uint64_t left;     /* bytes of the pile still to come */
    bool discards;     /* give back the space of bytes that have been read? The caller may set it */
    struct xxh64 hash; /* of the bytes read, as the kind needs it */
    union {
        struct {
            uint64_t next;               /* offset in the stored bytes */
            uint64_t discarded;          /* up to this offset, space has been given back */
            struct frames_reader frames; /* of the compressed bytes */
        } spill;
        struct {
            size_t batch;      /* number of the one being read */
            uint64_t left;     /* bytes of the pile to come from it; */
            uint64_t extent;   /* of these, in the current extent */
            uint64_t offset;   /* of the next byte in the file */
            uint64_t more;     /* place in the file of the list of further extents */
            uint64_t checksum; /* of all bytes of the pile in this batch */
        } store;
    } at;
};

/* Says where to load the next bytes of a pile, at most `bytes`: sets at most `most` pieces, and returns their
 * number. */
typedef int storage_place(void *context, unsigned pile, uint64_t bytes, struct iovec *pieces, int most);

/* A function that a kind does not need is NULL. If `drop`, `end` or `free` is NULL, the call does nothing. */
struct storage_kind {
    /* Append to a pile. Different threads may write different piles. */
    void (*write)(struct storage *storage, unsigned pile, const struct iovec *pieces, int count);

    /* The pile is not needed any more. */
    void (*drop)(struct storage *storage, unsigned pile);

    /* Begin to read a pile; `storage` and `pile` are set, all other fields zero. */
    void (*begin)(struct storage_reader *reader);

    /* Fill all pieces, which hold at most `left` bytes. A checksum of the bytes up to the end of the pieces, if there
     * is one, is verified before this returns; at the pile's end there is one. */
    void (*read)(struct storage_reader *reader, const struct iovec *pieces, int count);

    /* Read the whole piles [first, last), as `read` does, to the memory that `place` gives. */
    void (*load)(struct storage *storage, unsigned first, unsigned last, storage_place *place, void *context);

    void (*end)(struct storage_reader *reader); /* may be called before the last byte */

    /* End the run: the bytes of a pile are as they were written, but contain a wrong number of records. */
    void (*report)(struct storage *storage, unsigned pile);

    void (*free)(struct storage *storage);
};

static inline void storage_write(struct storage *storage, unsigned pile, const struct iovec *pieces, int count)
{
    storage->kind->write(storage, pile, pieces, count);
}

static inline void storage_drop(struct storage *storage, unsigned pile)
{
    if (storage->kind->drop != NULL)
        storage->kind->drop(storage, pile);
}

static inline void storage_free(struct storage *storage) /* NULL is fine */
{
    if (storage != NULL && storage->kind->free != NULL)
        storage->kind->free(storage);
}

static inline void storage_reader_init(struct storage_reader *reader, struct storage *storage, unsigned pile)
{
    *reader = (struct storage_reader){.storage = storage, .pile = pile};
    storage->kind->begin(reader);
}

static inline void storage_reader_read(struct storage_reader *reader, const struct iovec *pieces, int count)
{
    reader->storage->kind->read(reader, pieces, count);
}

static inline void storage_reader_release(struct storage_reader *reader) /* also when zeroed */
{
    if (reader->storage != NULL && reader->storage->kind->end != NULL)
        reader->storage->kind->end(reader);
}
