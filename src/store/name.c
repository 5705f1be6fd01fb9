/* Names that nobody else uses are made of 64 random bits, without asking anybody. No name of a batch has a ~ in it, so
 * no other name can be taken for one. */

#include "store/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "system/fault.h"
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

void store_name_make_unused(char name[STORE_NAME_BYTES], const char *prefix, const char *base)
{
    uint64_t number;

    if (sys_random(&number, sizeof number) != 0)
        fault_report("random number", errno);
    snprintf(name, STORE_NAME_BYTES, "%s%s~%016" PRIx64, prefix, base, number);
}

/* Is it what store_name_make_unused puts behind a batch's name? */
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
