/*
 * Many processes may make a store at the same time: each links its own text to the name; the first one succeeds, and
 * all others find the text there and compare.
 *
 * A file is locked while it is made, which tells that its maker is alive (sweep.h). The lock is shared, so that it does
 * not keep readers out once the file is published.
 */

#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/header.h"
#include "system/hardware.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

/* Room for the header and a delimiter that it lacked. */
enum { HEADER_FILE_BYTES = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };

/* ---- Names ---- */

/* New names are made of 32 bits for the machine since its start and 32 random ones. No name of a batch has a ~ in it,
 * so neither can be taken for the other. */

enum { HOST_BYTES = 127 }; /* of a host's name that become a part of other names */

/* May this byte stand in the name of a batch? */
static bool is_plain(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '.' || byte == '_' || byte == '-';
}

/* Is it the name of another file of a store? */
static bool is_taken(const char *name)
{
    return strcmp(name, STORE_NAME_FORMAT) == 0 || strcmp(name, STORE_NAME_HEADER) == 0;
}

bool store_name_is_batch(const char *name)
{
    size_t length = 0;

    while (is_plain(name[length]))
        length++;
    return name[length] == '\0' && length > 0 && length <= STORE_NAME_MAX && name[0] != '.' && !is_taken(name);
}

/* The name of this host is cut if it is long, and has _ for bytes that are not plain. */
void store_name_make_batch(char name[STORE_NAME_MAX + 1], uint64_t digest)
{
    char host[1024], second[32];
    struct timespec now;
    struct tm date;

    if (sys_host_name(host, sizeof host) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "unknown");
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(second, sizeof second, "%Y%m%dT%H%M%S", &date);
    snprintf(name, STORE_NAME_MAX + 1, "%s.%06ldZ-%.*s-%ld-%08" PRIx32, second, now.tv_nsec / 1000, HOST_BYTES, host,
             (long)sys_process(), (uint32_t)digest);
    for (; *name != '\0'; name++)
        if (!is_plain(*name))
            *name = '_';
}

void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base)
{
    uint32_t number;

    if (sys_random(&number, sizeof number) != 0)
        die_errno("random number", errno);
    snprintf(name, STORE_NAME_BYTES, "%s%s~%08" PRIx32 "%08" PRIx32, prefix, base, hardware_boot(), number);
}

bool store_name_is_local(const char *name)
{
    const uint32_t boot = hardware_boot();
    char digits[9];

    snprintf(digits, sizeof digits, "%08" PRIx32, boot);
    name = strchr(name, '~');
    return boot != 0 && name != NULL && strncmp(name + 1, digits, sizeof digits - 1) == 0;
}

/* Is it ~ and a number, as of store_name_make_unused? */
static bool is_number_suffix(const char *rest)
{
    enum { DIGITS = 16 };

    return *rest == '~' && strspn(rest + 1, "0123456789abcdef") == DIGITS && rest[1 + DIGITS] == '\0';
}

enum store_name_kind store_name_kind(const char *name, char base[STORE_NAME_MAX + 1])
{
    const bool is_draft = strncmp(name, STORE_NAME_DRAFT_PREFIX, strlen(STORE_NAME_DRAFT_PREFIX)) == 0;
    const bool is_left = strncmp(name, STORE_NAME_LEFT_PREFIX, strlen(STORE_NAME_LEFT_PREFIX)) == 0;
    size_t length;

    if (!is_draft && !is_left)
        return STORE_NAME_OTHER;
    name += strlen(is_draft ? STORE_NAME_DRAFT_PREFIX : STORE_NAME_LEFT_PREFIX);
    length = strcspn(name, "~");
    if (length > STORE_NAME_MAX)
        return STORE_NAME_OTHER;
    snprintf(base, STORE_NAME_MAX + 1, "%.*s", (int)length, name);
    if (is_left) /* users may rename a batch to it, without a number */
        return store_name_is_batch(base) && (name[length] == '\0' || is_number_suffix(name + length))
                   ? STORE_NAME_LEFT
                   : STORE_NAME_OTHER;
    return is_number_suffix(name + length) && (store_name_is_batch(base) || is_taken(base)) ? STORE_NAME_DRAFT
                                                                                            : STORE_NAME_OTHER;
}

/* ---- Files that are made ---- */

/* The first byte tells that the file has been locked: without it, its maker may be about to lock it. */
void store_draft_begin(const struct store *store, struct store_draft *draft, const char *base)
{
    int error;

    store_name_make_unused(draft->name, STORE_NAME_DRAFT_PREFIX, base);
    error = folder_make_file(&store->folder, draft->name, &draft->fd, &draft->slot);
    if (error == 0 && io_lock(draft->fd, false) != 0 && errno != ENOTSUP)
        error = errno;
    if (error == EWOULDBLOCK)
        folder_say(&store->folder, draft->name, "somebody has removed it");
    if (error != 0) {
        errno = error;
        store_draft_fail(store, draft);
    }
}

void store_draft_fail(const struct store *store, const struct store_draft *draft)
{
    char advice[STORE_ADVICE_BYTES];

    if (errno == ENOSPC || errno == EDQUOT)
        folder_say(&store->folder, draft->name, "%s%s", strerror(errno), store_advice(store, advice));
    folder_report(&store->folder, draft->name, errno);
}

bool store_draft_publish(const struct store *store, const struct store_draft *draft, const char *base, bool succeeds)
{
    if (io_sync(draft->fd) != 0)
        store_draft_fail(store, draft);
    return folder_publish(&store->folder, draft->name, base, draft->fd, draft->slot, succeeds);
}

void store_draft_end(const struct store *store, struct store_draft *draft, bool published)
{
    if (!published && signals_remove(draft->slot) != 0 && errno != ENOENT)
        fault_warn("%s/%s: cannot be removed: %s", store->folder.path, draft->name, fault_cause(errno));
    (void)io_close(draft->fd);
}

const char *store_advice(const struct store *store, char text[STORE_ADVICE_BYTES])
{
    text[0] = '\0';
    if (store->young[0] != '\0')
        snprintf(text, STORE_ADVICE_BYTES, "; it has %s: if the task that made it is dead, remove it by hand",
                 store->young);
    return text;
}

/* ---- The file of the format ---- */

static const char *why_refused(const char *text)
{
    unsigned version;

    if (sscanf(text, STORE_FORMAT_TITLE "%u\n", &version) != 1)
        return "not a format of a store";
    if (version < STORE_FORMAT_VERSION)
        return "a store of an earlier version: scatter again, or gather it with that version and scatter the result";
    return version > STORE_FORMAT_VERSION ? "a store of a later version" : STORE_CHANGED;
}

/* False if the store has no format. */
static bool read_format(struct store *store)
{
    size_t bytes;
    char *text = folder_read(&store->folder, STORE_NAME_FORMAT, STORE_FORMAT_TEXT_BYTES, &bytes);

    if (text == NULL)
        return false;
    if (!store_format_parse(&store->format, store->string, text, bytes))
        folder_say(&store->folder, STORE_NAME_FORMAT, "%s", why_refused(text));
    free(text);
    return true;
}

/* Make a small file. False if its name exists already. */
static bool publish_small(const struct store *store, const char *name, const void *data, size_t bytes)
{
    struct store_draft draft;
    bool published;

    store_draft_begin(store, &draft, name);
    if (io_write(draft.fd, data, bytes) != 0)
        store_draft_fail(store, &draft);
    published = store_draft_publish(store, &draft, name, false);
    store_draft_end(store, &draft, published);
    return published;
}

/* Sync the name of a new directory, if the directory above it may be read. */
static void sync_above(const struct folder *folder)
{
    int fd = io_open_at(folder->fd, "..", O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0)
        return;
    (void)io_sync(fd);
    (void)io_close(fd);
}

/* Make the format, or read the one that another process has made. The directory's own name is synced before, so that it
 * is on disk in every store with a format, whoever made the directory. */
static void make_format(struct store *store, const struct store_format *wanted)
{
    struct store_format format = *wanted;
    char text[STORE_FORMAT_TEXT_BYTES];

    if (format.piles == 0)
        format.piles = STORE_FORMAT_PILES;
    sync_above(&store->folder);
    (void)publish_small(store, STORE_NAME_FORMAT, text, store_format_text(&format, text));
    if (!read_format(store))
        folder_report(&store->folder, STORE_NAME_FORMAT, ENOENT);
}

static bool has_key_line(const char *line)
{
    return strncmp(line, "groups", strlen("groups")) == 0 || strncmp(line, "unique", strlen("unique")) == 0;
}

/* The length of a line of a format for messages: without the store's key. */
static int length_told(const char *line)
{
    const size_t bytes = strcspn(line, "\n");

    return (int)(has_key_line(line) ? bytes - strlen(" key ") - STORE_FORMAT_KEY_DIGITS : bytes);
}

/* Formats are compared line by line. In a store without batches, one that differs may be of a run that failed. */
static void compare_format(const struct store *store, const struct store_format *wanted)
{
    struct store_format resolved = *wanted;
    char text[STORE_FORMAT_TEXT_BYTES], wanted_text[STORE_FORMAT_TEXT_BYTES];
    const char *line = text, *wants = wanted_text;
    struct folder_names names;

    if (resolved.piles == 0)
        resolved.piles = store->format.piles;
    memcpy(resolved.key, store->format.key, sizeof resolved.key);
    (void)store_format_text(&store->format, text);
    (void)store_format_text(&resolved, wanted_text);
    if (strcmp(text, wanted_text) == 0)
        return;
    while (strcspn(line, "\n") == strcspn(wants, "\n") && strncmp(line, wants, strcspn(line, "\n")) == 0) {
        line += strcspn(line, "\n") + 1;
        wants += strcspn(wants, "\n") + 1;
    }
    if (has_key_line(line) != has_key_line(wants))
        *(has_key_line(line) ? &wants : &line) = "plain records";
    store_batches(store, &names);
    folder_say(&store->folder, STORE_NAME_FORMAT, "the store has %.*s, not %.*s%s", length_told(line), line,
               length_told(wants), wants,
               names.count > 0 ? "" : ": it has no batches, so remove it, unless others are about to write some");
}

/* ---- The store ---- */

void store_open(struct store *store, const char *path)
{
    *store = (struct store){0};
    if (!folder_open(&store->folder, path))
        die_errno(path, ENOENT);
    if (!read_format(store))
        folder_say(&store->folder, NULL, "not a store of piles; --scatter makes one");
}

/* If the directory is made here, and the run ends before it is a store, the directory is removed again. Returns its
 * slot, or -1. */
static int open_or_make(struct folder *folder, const char *path)
{
    int slot;

    if (folder_open(folder, path))
        return -1;
    slot = folder_make_path(path);
    if (!folder_open(folder, path))
        die_errno(path, ENOENT);
    return slot;
}

/* A directory without a format becomes a store only if it is empty, since otherwise the user hardly means it; hidden
 * files, and lost+found at the top of a file system, do not count. A format may have come meanwhile. */
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
        folder_say(&store->folder, NULL, "not a store of piles, and not empty, since it holds '%s'; name a new folder",
                   other);
    folder_names_release(&names);
}

/* Is there a file at this path that begins as the format of a store does? */
static bool has_title(int directory, const char *path)
{
    static const char title[] = STORE_FORMAT_TITLE;
    const int fd = io_open_at(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    char beginning[sizeof title] = "";

    if (fd >= 0)
        (void)io_read(fd, beginning, sizeof beginning - 1);
    io_drop(fd);
    return strcmp(beginning, title) == 0;
}

bool store_is(const char *folder)
{
    char *path = fault_text("%s/%s", folder, STORE_NAME_FORMAT);
    const bool is = has_title(AT_FDCWD, path);

    free(path);
    return is;
}

/* A store within another one, at any depth, would count as a damaged batch of that. The path gets one more "../" for
 * each folder, up to the root, whose ".." is itself. */
static void refuse_inner(const struct store *store)
{
    char path[4096] = "../";
    struct stat below, above;
    size_t length = 3;

    while (length + sizeof STORE_NAME_FORMAT < sizeof path && sys_stat_at(store->folder.fd, path, &above) == 0) {
        bool is_inner;

        memcpy(path + length, STORE_NAME_FORMAT, sizeof STORE_NAME_FORMAT);
        is_inner = has_title(store->folder.fd, path);
        path[length - 1] = '\0';
        if (is_inner)
            folder_say(&store->folder, path, "is a store, in which there can be no other; name a folder elsewhere");
        if (length > 3 && io_same_file(&below, &above))
            return;
        below = above;
        memcpy(path + length - 1, "/../", sizeof "/../");
        length += 3;
    }
}

void store_join(struct store *store, const char *path, const struct store_format *wanted)
{
    sigset_t before;
    int slot;

    *store = (struct store){0};
    slot = open_or_make(&store->folder, path);
    if (!read_format(store)) {
        refuse_inner(store);
        refuse_others(store);
        make_format(store, wanted);
    }
    signals_hold(&before);
    signals_forget(slot);
    signals_release(&before);
    compare_format(store, wanted);
}

unsigned store_piles(const char *path)
{
    struct store store = {0};
    unsigned piles = 0;

    if (folder_open(&store.folder, path) && read_format(&store))
        piles = store.format.piles;
    store_close(&store);
    return piles;
}

void store_close(struct store *store)
{
    folder_close(&store->folder);
    *store = (struct store){0};
}

/* ---- What is in it ---- */

void store_put_header(const struct store *store, const uint8_t *header, size_t bytes)
{
    bool done = bytes == 0;

    while (!done) { /* again if another process was faster */
        size_t known_bytes;
        uint8_t *known = store_get_header(store, &known_bytes);

        if (known != NULL && (known_bytes != bytes || memcmp(known, header, bytes) != 0))
            folder_say(&store->folder, STORE_NAME_HEADER, "the header of these inputs is another one");
        done = known != NULL || publish_small(store, STORE_NAME_HEADER, header, bytes);
        free(known);
    }
}

uint8_t *store_get_header(const struct store *store, size_t *bytes)
{
    return (uint8_t *)folder_read(&store->folder, STORE_NAME_HEADER, HEADER_FILE_BYTES, bytes);
}

void store_batches(const struct store *store, struct folder_names *names)
{
    size_t kept = 0;

    folder_list(&store->folder, names);
    for (size_t i = 0; i < names->count; i++) {
        if (store_name_is_batch(names->name[i]))
            names->name[kept++] = names->name[i];
        else
            free(names->name[i]);
    }
    names->count = kept;
}
