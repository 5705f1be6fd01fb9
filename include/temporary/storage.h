#pragma once

/* The bytes of piles that are not in memory: temporary files (spill.h), the file of a batch in work (store/draft.h), or
 * those of all batches of a store (store/batch.h). A pile is written at its end and read from front to back. Each
 * kind makes sure that the bytes read are the bytes written. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/xxh64.h"
#include "temporary/frames.h"

enum { STORAGE_PIECES_MAX = 64 }; /* of one write or transfer: 64 blocks of 64 KiB are 4 MiB */

/* Each kind has a struct of its own that begins with this one. */
struct storage {
    const struct storage_kind *kind;
    bool loads; /* piles are read faster several at a time, by storage_kind.load */
};

/* A pile that is being read, while it is neither written nor dropped. */
struct storage_reader {
    struct storage *storage;
    unsigned pile;
    uint64_t left;     /* bytes of the pile still to come */
    bool discards;     /* the space of what has been read is given back; set by whoever wants that */
    struct xxh64 hash; /* of what has been read, as the kind says */
    union {
        struct {
            uint64_t next;               /* in what is stored */
            uint64_t discarded;          /* of what is stored */
            struct frames_reader frames; /* of what is compressed */
        } spill;
        struct {
            size_t batch;      /* that is being read */
            uint64_t left;     /* bytes of the pile still to come of it; */
            uint64_t extent;   /* of these, how many stand together */
            uint64_t offset;   /* in the file, from here on; */
            uint64_t more;     /* where the others are is said there */
            uint64_t checksum; /* that all its bytes of the pile must have */
        } store;
    } at;
};

/* The next bytes of a pile that is loaded belong into these pieces of memory, `most` at most, `bytes` bytes at most:
 * returns how many pieces. */
typedef int storage_place(void *context, unsigned pile, uint64_t bytes, struct iovec *pieces, int most);

/* A function that a kind does not need is NULL. Without `drop`, `end` or `free`, the call does nothing. */
struct storage_kind {
    /* Append to a pile. Different threads may write different piles. */
    void (*write)(struct storage *storage, unsigned pile, const struct iovec *pieces, int count);

    /* Nothing of the pile is needed any more. */
    void (*drop)(struct storage *storage, unsigned pile);

    /* Begin to read a pile; `storage` and `pile` are set, all else is zero. */
    void (*begin)(struct storage_reader *reader);

    /* Fill all pieces, which hold at most what is left. When a checksum is known of what has been read up to the end of
     * a piece of data, it has been verified before this returns; it is known of all when the last byte has been read.
     */
    void (*read)(struct storage_reader *reader, const struct iovec *pieces, int count);

    /* Read the piles [first, last), all of each, as `read` does, to where `place` says. */
    void (*load)(struct storage *storage, unsigned first, unsigned last, storage_place *place, void *context);

    void (*end)(struct storage_reader *reader); /* also before the last byte has been read */

    /* End the run: all bytes of a pile are as they were written, but they are not the right number of records. */
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
