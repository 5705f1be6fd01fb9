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
#include "system/io.h"
#include "system/sys.h"

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

/* Is all that the manifest names where it belongs? 0, or -1 after a report. */
static int check_files(const struct batch *batch, const struct manifest *manifest)
{
    uint8_t *header = NULL;
    size_t bytes;
    int status = store_get_header(batch->store, &header, &bytes);

    if (status == 0)
        status = batch_check_header(batch, header, bytes, xxh64(header, bytes));
    free(header);
    for (unsigned p = 0; p < manifest->piles && status == 0; p++)
        status = batch_check_pile(batch, p, &manifest->pile[p]);
    return status;
}

/* Say that the batch is there already, if its files are. Its name is brought to disk first, as whoever made it may have
 * died before. */
static enum folder_verdict accept(const struct batch *batch, const char *name, const struct manifest *manifest)
{
    const struct folder *root = &batch->store->folder;

    if (check_files(batch, manifest) != 0 || folder_sync(root) != 0)
        return FOLDER_FAILED;
    fault_note("batch %s is in %s already: nothing was added", name, root->path);
    return FOLDER_EXISTS;
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

/* Compare with the batch that is there. OK if there is none; or if only the piles can tell whether both are the same,
 * and ours is not `complete` yet. If there is one, it has *records. */
static enum folder_verdict compare(const struct store *store, const char *name, const struct manifest *manifest,
                                   bool complete, uint64_t *records)
{
    enum folder_verdict verdict;
    const char *difference;
    struct manifest known;
    struct batch batch;

    verdict = batch_open(&batch, store, name, &known);
    if (verdict != FOLDER_OK)
        return verdict == FOLDER_MISSING ? FOLDER_OK : verdict;
    difference = find_difference(manifest, &known, complete);
    if (difference != NULL) {
        folder_say(&store->folder, name, "a batch of this name is there already, made %s", difference);
        verdict = FOLDER_FAILED;
    } else if (complete || (manifest_reads_same(manifest, &known) && known.known)) {
        verdict = accept(&batch, name, &known);
    }
    *records = known.records;
    manifest_release(&known);
    batch_close(&batch);
    return verdict;
}

/* ---- The folder ---- */

/* Returns -1. */
static int report_loss(const struct draft *draft)
{
    return folder_say(&draft->store->folder, draft->name, "somebody has removed it");
}

static void remove_folder(void *context)
{
    struct draft *draft = context;

    sweep_own(draft->store, draft->name);
}

/* The folder, and the lock on its manifest. 0, or -1 after a report. */
static int make_folder(struct draft *draft)
{
    const struct folder *root = &draft->store->folder;
    enum folder_verdict verdict;

    if (store_name_make_unused(draft->name, STORE_NAME_DRAFT_PREFIX, draft->batch) != 0)
        return fault_report("random number", errno);
    fault_add_duty(&draft->duty, remove_folder, draft); /* also if it is made, and then cannot be opened */
    verdict = folder_make(&draft->folder, root, draft->name);
    if (verdict == FOLDER_OK)
        verdict = folder_edit_file(&draft->folder, BATCH_MANIFEST, true, &draft->manifest_file);
    if (verdict == FOLDER_OK && io_lock(draft->manifest_file, false) != 0 && errno != ENOTSUP)
        return errno == EWOULDBLOCK ? report_loss(draft) : folder_report(&draft->folder, BATCH_MANIFEST, errno);
    if (verdict == FOLDER_EXISTS)
        return folder_report(root, draft->name, EEXIST);
    if (verdict == FOLDER_MISSING)
        return report_loss(draft);
    return verdict == FOLDER_OK ? 0 : -1;
}

/* ---- From the beginning to the end ---- */

enum folder_verdict draft_begin(struct draft **draft, struct store *store, const char *name,
                                const struct manifest *manifest, uint64_t *records)
{
    enum folder_verdict verdict = compare(store, name, manifest, false, records);
    struct draft *made;

    *draft = NULL;
    if (verdict != FOLDER_OK)
        return verdict;
    made = sys_allocate(1, sizeof *made);
    if (made == NULL) {
        fault_report("memory", errno);
        return FOLDER_FAILED;
    }
    made->store = store;
    made->manifest_file = -1;
    made->manifest = *manifest;
    made->manifest.pile = NULL;
    snprintf(made->batch, sizeof made->batch, "%s", name);
    made->manifest.piles = store->format.piles;
    if (!manifest_fits(&made->manifest)) {
        folder_say(&store->folder, name, "the names of its inputs take more than %d MiB: make several batches",
                   MANIFEST_BYTES_MAX >> 20);
        draft_free(made);
        return FOLDER_FAILED;
    }
    made->manifest.pile = sys_allocate(store->format.piles, sizeof *made->manifest.pile);
    if (made->manifest.pile == NULL)
        fault_report("memory", errno);
    else if (make_folder(made) == 0)
        made->files = draft_files_open(&made->folder, &store->format);
    if (made->files == NULL) {
        draft_free(made);
        return FOLDER_FAILED;
    }
    *draft = made;
    return FOLDER_OK;
}

static int finish_header(struct draft *draft, const uint8_t *header, size_t header_bytes)
{
    if (header_bytes == 0)
        return 0;
    draft->manifest.header_bytes = header_bytes;
    draft->manifest.header_checksum = xxh64(header, header_bytes);
    return store_put_header(draft->store, header, header_bytes);
}

static int write_manifest(struct draft *draft)
{
    size_t bytes;
    char *text = manifest_text(&draft->manifest, &bytes);
    int status = -1;

    if (text != NULL && io_write(draft->manifest_file, text, bytes) == 0)
        status = io_sync(draft->manifest_file);
    if (status != 0)
        folder_report(&draft->folder, BATCH_MANIFEST, errno);
    free(text);
    return status;
}

static int finish(struct draft *draft, const uint64_t *records, const uint8_t *header, size_t header_bytes,
                  unsigned threads)
{
    if (draft_files_finish(draft->files, records, threads, draft->manifest.pile) != 0)
        return -1;
    if (finish_header(draft, header, header_bytes) != 0 || write_manifest(draft) != 0)
        return -1;
    return folder_sync(&draft->folder);
}

/* The draft no longer has its name. A network file system may say so though the rename was done: when the request was
 * repeated, and the second one found nothing. */
static enum folder_verdict look_for_folder(const struct draft *draft)
{
    const struct folder *root = &draft->store->folder;

    if (folder_stands(root, draft->batch, draft->folder.fd) != 1) {
        report_loss(draft);
        return FOLDER_FAILED;
    }
    return folder_sync(root) == 0 ? FOLDER_OK : FOLDER_FAILED;
}

static enum folder_verdict publish(const struct draft *draft)
{
    const struct folder *root = &draft->store->folder;
    enum folder_verdict verdict = FOLDER_OK;
    uint64_t there;

    for (int attempt = 0; attempt < ATTEMPTS && verdict == FOLDER_OK; attempt++) {
        switch (folder_rename(root, draft->name, draft->batch)) {
        case FOLDER_OK:
            return folder_sync(root) == 0 ? FOLDER_OK : FOLDER_FAILED;
        case FOLDER_MISSING:
            return look_for_folder(draft);
        case FOLDER_EXISTS:
            verdict = compare(draft->store, draft->batch, &draft->manifest, true, &there);
            break;
        default:
            return FOLDER_FAILED;
        }
    }
    if (verdict == FOLDER_OK)
        folder_report(root, draft->batch, EEXIST);
    return verdict == FOLDER_OK ? FOLDER_FAILED : verdict;
}

enum folder_verdict draft_commit(struct draft *draft, const uint64_t *records, const uint8_t *header,
                                 size_t header_bytes, unsigned threads)
{
    return finish(draft, records, header, header_bytes, threads) == 0 ? publish(draft) : FOLDER_FAILED;
}

struct storage *draft_storage(struct draft *draft)
{
    return draft_files_storage(draft->files);
}

void draft_free(struct draft *draft)
{
    if (draft == NULL)
        return;
    draft_files_free(draft->files);
    if (draft->manifest_file >= 0)
        (void)io_close(draft->manifest_file);
    fault_remove_duty(&draft->duty);
    if (draft->folder.path != NULL)
        remove_folder(draft);
    folder_close(&draft->folder);
    free(draft->manifest.pile);
    free(draft);
}
