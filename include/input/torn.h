#ifndef BIGSHUF_INPUT_TORN_H
#define BIGSHUF_INPUT_TORN_H

/*
 * Is a sample torn apart, since other members stand between its own? Then its key begins a second sample in the same
 * archive. The first samples of an archive are remembered, as many as there is room for: where archives are not sorted,
 * hardly one of their samples is whole.
 */

#include <stdbool.h>
#include <stdint.h>

#include "record/key.h"
#include "record/tar_headers.h"

enum { TORN_SAMPLES = 4096 };

struct torn_sample {
    uint64_t archive;
    uint64_t key, name; /* hashes */
};

/* All zeros at first. */
struct torn {
    uint64_t archive; /* is counted */
    bool found;
    bool looked; /* at the sample in work? */
    struct torn_sample sample[TORN_SAMPLES];
};

/* Another archive begins: it may have the same keys. */
void torn_begin(struct torn *torn);

/* A member of this key and name comes, which `goes_on` with the sample before it or begins another one. Directories are
 * not shown. True, once for all, if the other members of its sample stand elsewhere. */
bool torn_look(struct torn *torn, const struct key *key, struct tar_text name, bool goes_on);

#endif
