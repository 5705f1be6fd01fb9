#include "system/pieces.h"

int pieces_begin(const struct iovec *pieces, int count, uint64_t limit, struct iovec *some, int room, size_t *bytes)
{
    int made = 0;

    *bytes = 0;
    for (; made < count && made < room && *bytes < limit; made++) {
        some[made] = pieces[made];
        if (some[made].iov_len > limit - *bytes)
            some[made].iov_len = (size_t)(limit - *bytes);
        *bytes += some[made].iov_len;
    }
    return made;
}

int pieces_advance(struct iovec *pieces, int count, size_t bytes)
{
    int used = 0;

    for (; used < count && pieces[used].iov_len <= bytes; used++) {
        bytes -= pieces[used].iov_len;
        pieces[used].iov_len = 0;
    }
    if (used < count) {
        pieces[used].iov_base = (char *)pieces[used].iov_base + bytes;
        pieces[used].iov_len -= bytes;
    }
    return used;
}
