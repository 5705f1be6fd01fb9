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

/* False if there is none. */
static bool read_format(struct store *store)
{
    size_t bytes;
    char *text = folder_read(&store->folder, STORE_NAME_FORMAT, STORE_FORMAT_TEXT_BYTES, &bytes);

    if (text == NULL)
        return false;
    if (!store_format_parse(&store->format, store->string, text, bytes))
        folder_say(&store->folder, STORE_NAME_FORMAT, "not a format of a store that this version knows");
    free(text);
    return true;
}

/* Make a file that appears whole. False if there is one of its name already. */
static bool publish(const struct store *store, const char *file, const void *data, size_t bytes)
{
    char by[STORE_NAME_BYTES];

    store_name_make_unused(by, STORE_NAME_DRAFT_PREFIX, file);
    return folder_publish(&store->folder, file, by, data, bytes);
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
static void make_format(struct store *store, const struct store_format *wanted)
{
    struct store_format format = *wanted;
    char text[STORE_FORMAT_TEXT_BYTES];

    if (format.piles == 0)
        format.piles = STORE_FORMAT_PILES;
    sync_above(&store->folder);
    (void)publish(store, STORE_NAME_FORMAT, text, store_format_text(&format, text));
    if (!read_format(store))
        folder_report(&store->folder, STORE_NAME_FORMAT, ENOENT);
}

/* They are compared line by line. What a first run has made that failed afterwards says nothing of what is in the
 * store. */
static void compare_format(const struct store *store, const struct store_format *wanted)
{
    struct store_format resolved = *wanted;
    char text[STORE_FORMAT_TEXT_BYTES], wanted_text[STORE_FORMAT_TEXT_BYTES];
    const char *line = text, *wants = wanted_text;
    struct folder_names names;

    if (resolved.piles == 0)
        resolved.piles = store->format.piles;
    (void)store_format_text(&store->format, text);
    (void)store_format_text(&resolved, wanted_text);
    if (strcmp(text, wanted_text) == 0)
        return;
    while (strcspn(line, "\n") == strcspn(wants, "\n") && strncmp(line, wants, strcspn(line, "\n")) == 0) {
        line += strcspn(line, "\n") + 1;
        wants += strcspn(wants, "\n") + 1;
    }
    store_batches(store, &names);
    folder_say(&store->folder, STORE_NAME_FORMAT, "the store has %.*s, not %.*s%s", (int)strcspn(line, "\n"), line,
               (int)strcspn(wants, "\n"), wants,
               names.count > 0 ? "" : ": it has no batches, so remove it, unless others are about to write some");
}

/* ---- The store ---- */

void store_open(struct store *store, const char *path)
{
    *store = (struct store){0};
    if (!folder_open(&store->folder, path))
        fault_report(path, ENOENT);
    if (!read_format(store))
        folder_say(&store->folder, NULL, "not a store of piles");
}

/* If it is empty still. */
static void remove_directory(void *path)
{
    (void)sys_rmdir_at(AT_FDCWD, path);
}

/* If the directory is made here, and the run ends before it is a store, it is removed again: `duty`. */
static void open_or_make(struct folder *folder, const char *path, struct fault_duty *duty)
{
    if (folder_open(folder, path))
        return;
    if (sys_mkdir_at(AT_FDCWD, path, 0777) == 0)
        fault_add_duty(duty, remove_directory, (void *)path);
    else if (errno != EEXIST)
        fault_report(path, errno);
    if (!folder_open(folder, path))
        fault_report(path, ENOENT);
}

/* A directory without a format is made a store only if there is nothing else in it, as it was hardly meant otherwise;
 * hidden files, and lost+found at the top of a file system, do not count. A format may have come meanwhile. */
static void refuse_others(const struct store *store)
{
    struct folder_names names;
    const char *other = NULL;
    bool has_format = false;

    folder_list(&store->folder, &names);
    for (size_t i = names.count; i-- > 0;) {
        if (strcmp(names.name[i], STORE_NAME_FORMAT) == 0)
            has_format = true;
        else if (names.name[i][0] != '.' && strcmp(names.name[i], "lost+found") != 0)
            other = names.name[i];
    }
    if (other != NULL && !has_format)
        folder_say(&store->folder, NULL, "not a store of piles, and not empty: it holds '%s'", other);
    folder_names_release(&names);
}

void store_join(struct store *store, const char *path, const struct store_format *wanted)
{
    struct fault_duty duty = {.context = NULL};

    *store = (struct store){0};
    open_or_make(&store->folder, path, &duty);
    if (!read_format(store)) {
        refuse_others(store);
        make_format(store, wanted);
    }
    fault_remove_duty(&duty);
    compare_format(store, wanted);
}

void store_close(struct store *store)
{
    folder_close(&store->folder);
    *store = (struct store){0};
}

/* ---- What is in it ---- */

/* False if there is no header in the store. */
static bool compare_header(const struct store *store, const uint8_t *header, size_t bytes)
{
    size_t known_bytes;
    char *known = folder_read(&store->folder, STORE_NAME_HEADER, HEADER_FILE_BYTES, &known_bytes);

    if (known == NULL)
        return false;
    if (known_bytes != bytes || memcmp(known, header, bytes) != 0)
        folder_say(&store->folder, STORE_NAME_HEADER, "not the header of these inputs");
    free(known);
    return true;
}

void store_put_header(const struct store *store, const uint8_t *header, size_t bytes)
{
    if (bytes == 0 || compare_header(store, header, bytes) || publish(store, STORE_NAME_HEADER, header, bytes))
        return;
    if (!compare_header(store, header, bytes)) /* that of somebody who was faster */
        folder_report(&store->folder, STORE_NAME_HEADER, ENOENT);
}

uint8_t *store_get_header(const struct store *store, size_t *bytes)
{
    return (uint8_t *)folder_read(&store->folder, STORE_NAME_HEADER, HEADER_FILE_BYTES, bytes);
}

static bool is_batch(const struct store *store, const char *name)
{
    struct stat status;

    if (!store_name_is_batch(name))
        return false;
    if (sys_stat_at(store->folder.fd, name, &status) != 0) {
        if (errno == ENOENT)
            return false;
        folder_report(&store->folder, name, errno);
    }
    if (S_ISLNK(status.st_mode))
        folder_say(&store->folder, name, "is a link, and links are not followed here");
    return S_ISDIR(status.st_mode);
}

void store_batches(const struct store *store, struct folder_names *names)
{
    size_t kept = 0;

    folder_list(&store->folder, names);
    for (size_t i = 0; i < names->count; i++) {
        if (is_batch(store, names->name[i]))
            names->name[kept++] = names->name[i];
        else
            free(names->name[i]);
    }
    names->count = kept;
}
