/*
 * Many processes may make a store at the same time: each links its own text to the name, one of them first, and all
 * others find that it is there and compare.
 */

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/header.h"
#include "system/io.h"
#include "system/sys.h"

/* Room for the header with a delimiter, should that have been missing. */
enum { HEADER_FILE_BYTES = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };

/* ---- The format ---- */

static enum folder_verdict read_format(struct store *store)
{
    char *text;
    size_t bytes;
    enum folder_verdict verdict =
        folder_read(&store->folder, STORE_NAME_FORMAT, STORE_FORMAT_TEXT_BYTES, &text, &bytes);

    if (verdict != FOLDER_OK)
        return verdict;
    if (!store_format_parse(&store->format, store->string, text, bytes)) {
        folder_say(&store->folder, STORE_NAME_FORMAT, "not a format of a store that this version knows");
        verdict = FOLDER_FAILED;
    }
    free(text);
    return verdict;
}

/* Make a file that appears whole, if there is none of its name. */
static enum folder_verdict publish(const struct store *store, const char *file, const void *data, size_t bytes)
{
    char by[STORE_NAME_BYTES];

    if (store_name_make_unused(by, STORE_NAME_DRAFT_PREFIX, file) == 0)
        return folder_publish(&store->folder, file, by, data, bytes);
    fault_report("random number", errno);
    return FOLDER_FAILED;
}

/* Bring the name of a new directory to disk, if the directory above it may be read. */
static void sync_above(const struct folder *folder)
{
    int fd = io_open_at(folder->fd, "..", O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0)
        return;
    (void)io_sync(fd);
    (void)io_close(fd);
}

/* Make the format, or find that somebody else has made one, and read it. The directory's own name is brought to disk
 * before that: so in every store that has a format it is there, whoever made the directory. */
static enum folder_verdict make_format(struct store *store, const struct store_format *wanted)
{
    struct store_format format = *wanted;
    char text[STORE_FORMAT_TEXT_BYTES];
    enum folder_verdict verdict;

    if (format.piles == 0)
        format.piles = STORE_FORMAT_PILES;
    sync_above(&store->folder);
    verdict = publish(store, STORE_NAME_FORMAT, text, store_format_text(&format, text));
    if (verdict == FOLDER_OK || verdict == FOLDER_EXISTS)
        verdict = read_format(store);
    if (verdict == FOLDER_MISSING)
        folder_report(&store->folder, STORE_NAME_FORMAT, ENOENT);
    return verdict;
}

/* What a first run has made that failed afterwards says nothing of what is in the store. */
static int say_difference(const struct store *store, const char *has, const char *wanted)
{
    struct folder_names names;
    int result = store_batches(store, &names);

    if (result == 0)
        result = folder_say(
            &store->folder, STORE_NAME_FORMAT, "the store has %s, not %s%s", has, wanted,
            names.count > 0 ? "" : ": it has no batches, so remove it, unless others are about to write some");
    folder_names_release(&names);
    return result;
}

static int compare_format(const struct store *store, const struct store_format *wanted)
{
    struct store_format resolved = *wanted;
    struct store_format_lines has, want;

    if (resolved.piles == 0)
        resolved.piles = store->format.piles;
    has = store_format_lines(&store->format);
    want = store_format_lines(&resolved);
    if (strcmp(has.piles, want.piles) != 0)
        return say_difference(store, has.piles, want.piles);
    if (strcmp(has.records, want.records) != 0)
        return say_difference(store, has.records, want.records);
    if (strcmp(has.header, want.header) != 0)
        return say_difference(store, has.header, want.header);
    return 0;
}

/* ---- The store ---- */

int store_open(struct store *store, const char *path)
{
    enum folder_verdict verdict;

    *store = (struct store){0};
    verdict = folder_open(&store->folder, path);
    if (verdict == FOLDER_MISSING)
        return fault_report(path, ENOENT);
    if (verdict != FOLDER_OK)
        return -1;
    verdict = read_format(store);
    if (verdict == FOLDER_MISSING)
        return folder_say(&store->folder, NULL, "not a store of piles");
    return verdict == FOLDER_OK ? 0 : -1;
}

static int open_or_make(struct folder *folder, const char *path, bool *made)
{
    enum folder_verdict verdict = folder_open(folder, path);

    *made = false;
    if (verdict != FOLDER_MISSING)
        return verdict == FOLDER_OK ? 0 : -1;
    *made = sys_mkdir_at(AT_FDCWD, path, 0777) == 0;
    if (!*made && errno != EEXIST)
        return fault_report(path, errno);
    verdict = folder_open(folder, path);
    if (verdict == FOLDER_MISSING)
        return fault_report(path, ENOENT);
    return verdict == FOLDER_OK ? 0 : -1;
}

/* A directory without a format is made a store only if there is nothing else in it, as it was hardly meant otherwise;
 * hidden files, and lost+found at the top of a file system, do not count. OK, or EXISTS if a format has come meanwhile,
 * or FAILED. */
static enum folder_verdict refuse_others(const struct store *store)
{
    struct folder_names names;
    enum folder_verdict verdict = folder_list(&store->folder, &names);

    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.name[i], STORE_NAME_FORMAT) == 0)
            verdict = FOLDER_EXISTS;
    for (size_t i = 0; i < names.count && verdict == FOLDER_OK; i++) {
        if (names.name[i][0] == '.' || strcmp(names.name[i], "lost+found") == 0)
            continue;
        folder_say(&store->folder, NULL, "not a store of piles, and not empty: it holds '%s'", names.name[i]);
        verdict = FOLDER_FAILED;
    }
    folder_names_release(&names);
    return verdict;
}

int store_join(struct store *store, const char *path, const struct store_format *wanted)
{
    enum folder_verdict verdict;
    bool made;

    *store = (struct store){0};
    if (open_or_make(&store->folder, path, &made) != 0)
        return -1;
    verdict = read_format(store);
    if (verdict == FOLDER_MISSING) {
        verdict = refuse_others(store);
        if (verdict == FOLDER_OK)
            verdict = make_format(store, wanted);
        else if (verdict == FOLDER_EXISTS) /* now */
            verdict = read_format(store);
    }
    if (verdict != FOLDER_OK && made) /* if it is empty still */
        (void)sys_rmdir_at(AT_FDCWD, path);
    return verdict == FOLDER_OK ? compare_format(store, wanted) : -1;
}

void store_close(struct store *store)
{
    folder_close(&store->folder);
    *store = (struct store){0};
}

/* ---- What is in it ---- */

static enum folder_verdict compare_header(const struct store *store, const uint8_t *header, size_t bytes)
{
    char *known;
    size_t known_bytes;
    enum folder_verdict verdict =
        folder_read(&store->folder, STORE_NAME_HEADER, HEADER_FILE_BYTES, &known, &known_bytes);

    if (verdict != FOLDER_OK)
        return verdict;
    if (known_bytes != bytes || memcmp(known, header, bytes) != 0) {
        folder_say(&store->folder, STORE_NAME_HEADER, "not the header of these inputs");
        verdict = FOLDER_FAILED;
    }
    free(known);
    return verdict;
}

int store_put_header(struct store *store, const uint8_t *header, size_t bytes)
{
    enum folder_verdict verdict;

    if (bytes == 0)
        return 0;
    verdict = compare_header(store, header, bytes);
    if (verdict == FOLDER_MISSING)
        verdict = publish(store, STORE_NAME_HEADER, header, bytes);
    if (verdict == FOLDER_EXISTS)
        verdict = compare_header(store, header, bytes);
    if (verdict == FOLDER_MISSING)
        return folder_report(&store->folder, STORE_NAME_HEADER, ENOENT);
    return verdict == FOLDER_OK ? 0 : -1;
}

int store_get_header(const struct store *store, uint8_t **header, size_t *bytes)
{
    char *text;
    enum folder_verdict verdict = folder_read(&store->folder, STORE_NAME_HEADER, HEADER_FILE_BYTES, &text, bytes);

    *header = (uint8_t *)text;
    return verdict == FOLDER_OK || verdict == FOLDER_MISSING ? 0 : -1;
}

/* 1 if it is a complete batch, 0 if not, -1 after a report. */
static int is_batch(const struct store *store, const char *name)
{
    struct stat status;

    if (!store_name_is_batch(name))
        return 0;
    if (sys_stat_at(store->folder.fd, name, &status) != 0)
        return errno == ENOENT ? 0 : folder_report(&store->folder, name, errno);
    if (S_ISLNK(status.st_mode))
        return folder_say(&store->folder, name, "is a link, and links are not followed here");
    return S_ISDIR(status.st_mode);
}

int store_batches(const struct store *store, struct folder_names *names)
{
    size_t kept = 0;
    int result = 0;

    if (folder_list(&store->folder, names) != FOLDER_OK)
        return -1;
    for (size_t i = 0; i < names->count; i++) {
        int is = result == 0 ? is_batch(store, names->name[i]) : 0;

        if (is < 0)
            result = -1;
        if (is > 0)
            names->name[kept++] = names->name[i];
        else
            free(names->name[i]);
    }
    names->count = kept;
    if (result != 0)
        folder_names_release(names);
    return result;
}
