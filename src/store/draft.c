/*
 * Nobody can see a part of a batch, since its folder has another name until all of it is on disk: first the piles, then
 * the manifest that describes them, then the folder's names, and only then the one rename. Whoever dies before it
 * leaves a draft (sweep.h), whoever dies after it leaves a batch.
 *
 * The rename replaces nothing but an empty folder, which no batch is (rename(2)). The name before it is nobody else's:
 * so whatever stands under it is this draft, or it has been removed.
 *
 * The manifest is there from the beginning, empty, for its lock says that somebody is at work (sweep.h). It is a shared
 * lock, so that those who read the batch do not meet another one, and lasts until the draft has its other name.
 */

#include "store/draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/batch.h"
#include "store/draft_files.h"
#include "store/sweep.h"
#include "system/fault.h"
#include "system/io.h"

/* How often to rename the folder, while other batches of its name come and go. */
enum { ATTEMPTS = 100 };

struct draft {
    struct store *store;
    char batch[STORE_NAME_MAX + 1];
    char name[STORE_NAME_BYTES]; /* of the folder, until it is committed */
    struct folder folder;        /* open if it was made */
    int manifest_file;
    struct manifest manifest;
    struct draft_files *files;
    struct fault_duty duty; /* to remove the folder, from when it has been made */
};

/* ---- The batch is there already ---- */

/* See that all that the manifest names is where it belongs, and say that the batch is there already. Its name is
 * brought to disk first, as whoever made it may have died before. */
static void accept(const struct batch *batch, const char *name, const struct manifest *manifest)
{
    const struct folder *root = &batch->store->folder;
    size_t bytes;
    uint8_t *header = store_get_header(batch->store, &bytes);

    batch_check_header(batch, header, bytes, xxh64(header, bytes));
    free(header);
    for (unsigned p = 0; p < manifest->piles; p++)
        batch_check_pile(batch, p, &manifest->pile[p]);
    folder_sync(root);
    fault_note("batch %s is in %s already: nothing was added", name, root->path);
}

/* In what the batch that is there differs, in words; NULL if in nothing. Piles are compared only if ours is
 * `complete`. */
static const char *find_difference(const struct manifest *one, const struct manifest *other, bool complete)
{
    if (memcmp(one->key, other->key, sizeof one->key) != 0)
        return "with another seed";
    if (!manifest_is_same(one, other))
        return "of other inputs";
    if (!complete || manifest_holds_same(one, other))
        return NULL;
    if (one->reading.decompressed != other->reading.decompressed)
        return other->reading.decompressed ? "with -Z" : "without -Z";
    return manifest_reads_same(one, other) ? "of other data" : "of other groups";
}

/* Compare with the batch that is there: another one is a failure. Returns whether it is there and the same, and then it
 * has *records. False if there is none; or if only the piles can tell, and ours is not `complete` yet. */
static bool is_there(const struct store *store, const char *name, const struct manifest *manifest, bool complete,
                     uint64_t *records)
{
    const char *difference;
    struct manifest known;
    struct batch batch;
    bool same;

    if (!batch_open(&batch, store, name, &known))
        return false;
    difference = find_difference(manifest, &known, complete);
    if (difference != NULL)
        folder_say(&store->folder, name, "a batch of this name is there already, made %s", difference);
    same = complete || (manifest_reads_same(manifest, &known) && known.known);
    if (same)
        accept(&batch, name, &known);
    *records = known.records;
    manifest_release(&known);
    batch_close(&batch);
    return same;
}

/* ---- The folder ---- */

_Noreturn static void report_loss(const struct draft *draft)
{
    folder_say(&draft->store->folder, draft->name, "somebody has removed it");
}

static void remove_folder(void *context)
{
    struct draft *draft = context;

    sweep_own(draft->store, draft->name);
}

/* The folder, and the lock on its manifest. */
static void make_folder(struct draft *draft)
{
    const struct folder *root = &draft->store->folder;
    enum folder_verdict verdict;

    store_name_make_unused(draft->name, STORE_NAME_DRAFT_PREFIX, draft->batch);
    folder_make(&draft->folder, root, draft->name);
    fault_add_duty(&draft->duty, remove_folder, draft);
    verdict = folder_edit_file(&draft->folder, BATCH_MANIFEST, true, &draft->manifest_file);
    if (verdict == FOLDER_EXISTS)
        folder_report(&draft->folder, BATCH_MANIFEST, EEXIST);
    if (verdict == FOLDER_MISSING)
        report_loss(draft);
    if (io_lock(draft->manifest_file, false) == 0 || errno == ENOTSUP)
        return;
    if (errno == EWOULDBLOCK)
        report_loss(draft);
    folder_report(&draft->folder, BATCH_MANIFEST, errno);
}

/* ---- From the beginning to the end ---- */

struct draft *draft_begin(struct store *store, const char *name, const struct manifest *manifest, uint64_t *records)
{
    struct draft *draft;

    if (is_there(store, name, manifest, false, records))
        return NULL;
    draft = fault_allocate(1, sizeof *draft);
    draft->store = store;
    draft->manifest = *manifest;
    draft->manifest.piles = store->format.piles;
    snprintf(draft->batch, sizeof draft->batch, "%s", name);
    if (!manifest_fits(&draft->manifest))
        folder_say(&store->folder, name, "the names of its inputs take more than %d MiB: make several batches",
                   MANIFEST_BYTES_MAX >> 20);
    draft->manifest.pile = fault_allocate(store->format.piles, sizeof *draft->manifest.pile);
    make_folder(draft);
    draft->files = draft_files_open(&draft->folder, &store->format);
    return draft;
}

static void put_header(struct draft *draft, const uint8_t *header, size_t header_bytes)
{
    if (header_bytes == 0)
        return;
    draft->manifest.header_bytes = header_bytes;
    draft->manifest.header_checksum = xxh64(header, header_bytes);
    store_put_header(draft->store, header, header_bytes);
}

static void write_manifest(struct draft *draft)
{
    size_t bytes;
    char *text = manifest_text(&draft->manifest, &bytes);

    if (io_write(draft->manifest_file, text, bytes) != 0 || io_sync(draft->manifest_file) != 0)
        folder_report(&draft->folder, BATCH_MANIFEST, errno);
    free(text);
}

/* Give the draft its name. False if there is a batch of this name already, which is the same. A network file system may
 * say that the draft is missing though the rename was done: when the request was repeated, and the second one found
 * nothing. */
static bool publish(const struct draft *draft)
{
    const struct folder *root = &draft->store->folder;
    uint64_t there;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        enum folder_verdict verdict = folder_rename(root, draft->name, draft->batch);

        if (verdict == FOLDER_MISSING && !folder_stands(root, draft->batch, draft->folder.fd))
            report_loss(draft);
        if (verdict != FOLDER_EXISTS) {
            folder_sync(root);
            return true;
        }
        if (is_there(draft->store, draft->batch, &draft->manifest, true, &there))
            return false;
    }
    folder_report(root, draft->batch, EEXIST);
}

/* Also the folder, unless it has become the batch. */
static void give_back(struct draft *draft, bool published)
{
    draft_files_free(draft->files);
    (void)io_close(draft->manifest_file);
    if (!published)
        remove_folder(draft);
    fault_remove_duty(&draft->duty);
    folder_close(&draft->folder);
    free(draft->manifest.pile);
    free(draft);
}

bool draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes,
                  unsigned threads)
{
    bool published;

    draft_files_finish(draft->files, records, threads, draft->manifest.pile);
    put_header(draft, header, header_bytes);
    write_manifest(draft);
    folder_sync(&draft->folder);
    published = publish(draft);
    give_back(draft, published);
    return published;
}

struct storage *draft_storage(struct draft *draft)
{
    return draft_files_storage(draft->files);
}
