#ifndef BIGSHUF_STORE_BATCH_H
#define BIGSHUF_STORE_BATCH_H

/* A complete batch of a store that is being read. As long as it is open its files stay, also when it leaves the store:
 * it has a shared lock on its manifest. */

#include "store/manifest.h"
#include "store/store.h"

#define BATCH_MANIFEST "manifest"

struct batch {
    const struct store *store;
    struct folder folder;
    int manifest; /* descriptor */
    size_t piles_at;
    uint64_t header_bytes;
    uint64_t header_checksum;
};

/* Open the batch `name` and verify its manifest, which is the caller's, to be given back with manifest_release. A
 * manifest that does not go with the store is a failure. So is a lock that fails, unless the file system says that it
 * has none: then the batch is read without one. False, and closed: it has left the store. */
bool batch_open(struct batch *batch, const struct store *store, const char *name, struct manifest *manifest);
void batch_close(struct batch *batch); /* also when zeroed */

/* See that a folder, or every one, that has the name of a batch has a manifest, without reading it: else it is no
 * batch, which is a failure. For tasks that do not open the batches, so that they do not go on with a store that
 * readers refuse. False: it has left the store. */
bool batch_find(const struct store *store, const char *name);
void batch_find_all(const struct store *store);

/* Add the bytes of all piles of a batch, which was opened with this manifest, to those of other batches: *bytes. The
 * run ends if they are impossibly many, so that sums of bytes or records could overflow. */
void batch_add_bytes(const struct batch *batch, const struct manifest *manifest, uint64_t *bytes);

/* What the manifest says of a pile. May be asked by several threads. */
struct manifest_pile batch_pile(const struct batch *batch, unsigned pile);

/* See that the file of a pile is there and has the length that `entry` says. */
void batch_check_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry);

/* See that the store's header, or NULL, which has this XXH64, is what the manifest says. */
void batch_check_header(const struct batch *batch, const uint8_t *header, size_t bytes, uint64_t checksum);

/* Open the file of a pile, checked as above. Returns the descriptor. */
int batch_open_pile(const struct batch *batch, unsigned pile, const struct manifest_pile *entry);

/* End the run: what was read of a pile's file is not what was written. */
_Noreturn void batch_report_damage(const struct batch *batch, unsigned pile);

#endif
