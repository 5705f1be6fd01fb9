/*
 * Many processes may make a store at the same time: each links its own text to the name; the first one succeeds, and
 * all others find the text there and compare.
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

/* Room for the header with a delimiter, should that have been missing. */
enum { HEADER_FILE_BYTES = HEADER_BYTES_MAX + RECORD_DELIMITER_BYTES_MAX };

/* ---- Names ---- */

/* Names that nobody else uses are made of 32 bits that stand for the running machine and 32 random ones, without asking
 * anybody. No name of a batch has a ~ in it, so no other name can be taken for one. */

enum { HOST_BYTES = 127 }; /* of the name of a host that become a part of other names */

/* May this byte stand in the name of a batch? */
static bool is_plain(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '.' || byte == '_' || byte == '-';
}

bool store_name_is_batch(const char *name)
{
    size_t length = 0;

    while (is_plain(name[length]))
        length++;
    return name[length] == '\0' && length > 0 && length <= STORE_NAME_MAX && name[0] != '.' &&
           strcmp(name, STORE_NAME_FORMAT) != 0 && strcmp(name, STORE_NAME_HEADER) != 0;
}

/* The name of this host is cut if it is long, and has _ for bytes that are not plain. */
void store_name_make_batch(char name[STORE_NAME_MAX + 1])
{
    char host[1024], second[32];
    struct timespec now;
    struct tm date;

    if (sys_host_name(host, sizeof host) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "unknown");
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(second, sizeof second, "%Y%m%dT%H%M%S", &date);
    snprintf(name, STORE_NAME_MAX + 1, "%s.%06ldZ-%.*s-%ld", second, now.tv_nsec / 1000, HOST_BYTES, host,
             (long)sys_process());
    for (; *name != '\0'; name++)
        if (!is_plain(*name))
            *name = '_';
}

char *store_name_of_pile(unsigned pile, char name[STORE_NAME_PILE_BYTES])
{
    snprintf(name, STORE_NAME_PILE_BYTES, "pile-%04u", pile);
    return name;
}

void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base)
{
    uint32_t number;

    if (sys_random(&number, sizeof number) != 0)
        die_errno("random number", errno);
    snprintf(name, STORE_NAME_BYTES, "%s%s~%08" PRIx32 "%08" PRIx32, prefix, base, hardware_boot(), number);
}

void store_name_make_old(char old[STORE_NAME_BYTES], const char *draft)
{
    snprintf(old, STORE_NAME_BYTES, STORE_NAME_LEFT_PREFIX "%s", draft + strlen(STORE_NAME_DRAFT_PREFIX));
}

bool store_name_is_local(const char *name)
{
    const uint32_t boot = hardware_boot();
    char digits[9];

    snprintf(digits, sizeof digits, "%08" PRIx32, boot);
    name = strchr(name, '~');
    return boot != 0 && name != NULL && strncmp(name + 1, digits, sizeof digits - 1) == 0;
}

/* Is it what store_name_make_unused puts after a batch's name? */
static bool is_number(const char *rest)
{
    enum { DIGITS = 16 };

    return *rest == '~' && strspn(rest + 1, "0123456789abcdef") == DIGITS && rest[1 + DIGITS] == '\0';
}

enum store_name_kind store_name_kind(const char *name)
{
    enum { PREFIX_BYTES = sizeof STORE_NAME_DRAFT_PREFIX - 1 };
    const bool is_new = strncmp(name, STORE_NAME_DRAFT_PREFIX, PREFIX_BYTES) == 0;
    const bool is_old = strncmp(name, STORE_NAME_LEFT_PREFIX, PREFIX_BYTES) == 0;
    char base[STORE_NAME_MAX + 1];
    const char *rest;

    if (!is_new && !is_old)
        return STORE_NAME_OTHER;
    name += PREFIX_BYTES;
    rest = name + strcspn(name, "~");
    if (rest - name > STORE_NAME_MAX)
        return STORE_NAME_OTHER;
    snprintf(base, sizeof base, "%.*s", (int)(rest - name), name);
    if (is_old) /* users rename to it without a number */
        return store_name_is_batch(base) && (*rest == '\0' || is_number(rest)) ? STORE_NAME_LEFT : STORE_NAME_OTHER;
    if (!is_number(rest))
        return STORE_NAME_OTHER;
    if (strcmp(base, STORE_NAME_FORMAT) == 0 || strcmp(base, STORE_NAME_HEADER) == 0)
        return STORE_NAME_BEGUN;
    return store_name_is_batch(base) ? STORE_NAME_DRAFT : STORE_NAME_OTHER;
}

/* ---- The file of the format ---- */

static const char *why_refused(const char *text)
{
    const char *groups = strstr(text, "\ngroups of ");

    if (groups == NULL)
        return "not a format of a store that this version knows";
    if (strcmp(groups, "\ngroups of tar\nno header\n") == 0)
        return "the store has samples as earlier versions stored them; scatter its archives again";
    return "the store has groups of neighbours, as earlier versions made them; scatter its inputs again";
}

/* False if there is none. */
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

static bool has_key(const char *line)
{
    return strncmp(line, "groups", strlen("groups")) == 0 || strncmp(line, "unique", strlen("unique")) == 0;
}

/* Of a line of a format, as far as it is told: without a key, which the store has for itself. */
static int length_of(const char *line)
{
    const size_t bytes = strcspn(line, "\n");

    return (int)(has_key(line) ? bytes - strlen(" key ") - STORE_FORMAT_KEY_DIGITS : bytes);
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
    memcpy(resolved.key, store->format.key, sizeof resolved.key);
    (void)store_format_text(&store->format, text);
    (void)store_format_text(&resolved, wanted_text);
    if (strcmp(text, wanted_text) == 0)
        return;
    while (strcspn(line, "\n") == strcspn(wants, "\n") && strncmp(line, wants, strcspn(line, "\n")) == 0) {
        line += strcspn(line, "\n") + 1;
        wants += strcspn(wants, "\n") + 1;
    }
    if (has_key(line) != has_key(wants))
        *(has_key(line) ? &wants : &line) = "plain records";
    store_batches(store, &names);
    folder_say(&store->folder, STORE_NAME_FORMAT, "the store has %.*s, not %.*s%s", length_of(line), line,
               length_of(wants), wants,
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

/* If the directory is made here, and the run ends before it is a store, it is removed again. Returns its slot, or -1.
 */
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
        folder_say(&store->folder, NULL, "not a store of piles, and not empty, since it holds '%s'; name a new folder",
                   other);
    folder_names_release(&names);
}

/* A store within another one, at any depth, would count as a damaged batch of that. The path has "../" once more for
 * each folder, until that is the root, which has itself above. */
static void refuse_inner(const struct store *store)
{
    static const char title[] = "bigshuf store ";
    char path[4096] = "../";
    struct stat below, above;
    size_t length = 3;

    while (length + sizeof STORE_NAME_FORMAT < sizeof path && sys_stat_at(store->folder.fd, path, &above) == 0) {
        char beginning[sizeof title] = "";
        int fd;

        memcpy(path + length, STORE_NAME_FORMAT, sizeof STORE_NAME_FORMAT);
        if (folder_open_file(&store->folder, path, O_RDONLY, &fd) == 0) {
            (void)io_read(fd, beginning, sizeof beginning - 1);
            (void)io_close(fd);
        }
        path[length - 1] = '\0';
        if (strcmp(beginning, title) == 0)
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

void store_close(struct store *store)
{
    folder_close(&store->folder);
    *store = (struct store){0};
}

/* ---- What is in it ---- */

void store_put_header(const struct store *store, const uint8_t *header, size_t bytes)
{
    bool done = bytes == 0;

    while (!done) { /* again if somebody else was faster */
        size_t known_bytes;
        uint8_t *known = store_get_header(store, &known_bytes);

        if (known != NULL && (known_bytes != bytes || memcmp(known, header, bytes) != 0))
            folder_say(&store->folder, STORE_NAME_HEADER, "the header of these inputs is another one");
        done = known != NULL || publish(store, STORE_NAME_HEADER, header, bytes);
        free(known);
    }
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
