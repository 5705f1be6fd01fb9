/*
 * Names that nobody else uses are made without asking anybody: that of a draft, or of a batch that has left, of 64
 * random bits; that of a file in the making of the host, the process and the time. No name of a batch has a ~ in it, so
 * no other name can be taken for one.
 */

#include "store/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/owner.h"
#include "system/sys.h"

enum { HOST_BYTES = 128 }; /* room for the name of a host, which becomes a part of other names */

/* ---- Batches and their piles ---- */

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

/* The name of this host as a part of other names: the beginning if it is long, with _ for bytes that are not plain. */
static void put_host(char host[HOST_BYTES])
{
    char name[1024];

    if (sys_host_name(name, sizeof name) != 0 || name[0] == '\0')
        snprintf(name, sizeof name, "unknown");
    snprintf(host, HOST_BYTES, "%.*s", HOST_BYTES - 1, name);
    for (; *host != '\0'; host++)
        if (!is_plain(*host))
            *host = '_';
}

void store_name_make_batch(char name[STORE_NAME_MAX + 1])
{
    char host[HOST_BYTES], second[32];
    struct timespec now;
    struct tm date;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(second, sizeof second, "%Y%m%dT%H%M%S", &date);
    put_host(host);
    snprintf(name, STORE_NAME_MAX + 1, "%s.%06ldZ-%s-%ld", second, now.tv_nsec / 1000, host, (long)sys_process());
}

char *store_name_of_pile(unsigned pile, char name[STORE_NAME_PILE_BYTES])
{
    snprintf(name, STORE_NAME_PILE_BYTES, "pile-%04u", pile);
    return name;
}

/* ---- What is yet to be, or is no more ---- */

int store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *batch)
{
    uint64_t number;

    if (sys_random(&number, sizeof number) != 0)
        return -1;
    snprintf(name, STORE_NAME_BYTES, "%s%s~%016" PRIx64, prefix, batch, number);
    return 0;
}

void store_name_make_temporary(char name[STORE_NAME_BYTES], const char *file)
{
    char host[HOST_BYTES];
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    put_host(host);
    snprintf(name, STORE_NAME_BYTES, STORE_NAME_DRAFT_PREFIX "%s~%s-%ld-%lld.%09ld", file, host, (long)sys_process(),
             (long long)now.tv_sec, now.tv_nsec);
}

static bool is_temporary(const char *name)
{
    static const char *const files[] = {STORE_NAME_FORMAT, STORE_NAME_HEADER};
    char beginning[STORE_NAME_PILE_BYTES];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(beginning, sizeof beginning, STORE_NAME_DRAFT_PREFIX "%s~", files[i]);
        if (strncmp(name, beginning, strlen(beginning)) == 0)
            return store_name_is_batch(name + strlen(beginning));
    }
    return false;
}

/* Has the name this prefix and then that of a batch? If so, returns what follows it; else NULL. */
static const char *skip_batch(const char *name, const char *prefix)
{
    char batch[STORE_NAME_MAX + 1];
    size_t length;

    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    name += strlen(prefix);
    length = strcspn(name, "~");
    if (length > STORE_NAME_MAX)
        return NULL;
    memcpy(batch, name, length);
    batch[length] = '\0';
    return store_name_is_batch(batch) ? name + length : NULL;
}

/* Is it what store_name_make_unused puts behind a batch's name, and then `suffix`? */
static bool is_number(const char *rest, const char *suffix)
{
    enum { DIGITS = 16 };

    return *rest == '~' && strspn(rest + 1, "0123456789abcdef") == DIGITS && strcmp(rest + 1 + DIGITS, suffix) == 0;
}

enum store_name_kind store_name_kind(const char *name)
{
    const char *rest = skip_batch(name, STORE_NAME_DRAFT_PREFIX);

    if (is_temporary(name))
        return STORE_NAME_BEGUN;
    if (rest != NULL && is_number(rest, ""))
        return STORE_NAME_DRAFT;
    if (rest != NULL && is_number(rest, OWNER_SUFFIX))
        return STORE_NAME_SIGNATURE;
    if (rest != NULL && is_number(rest, OWNER_BEGUN_SUFFIX))
        return STORE_NAME_BEGUN;
    rest = skip_batch(name, STORE_NAME_LEFT_PREFIX); /* users rename to it without a number */
    return rest != NULL && (*rest == '\0' || is_number(rest, "")) ? STORE_NAME_LEFT : STORE_NAME_OTHER;
}
