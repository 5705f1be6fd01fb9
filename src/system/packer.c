/* Formats are known by their first bytes: RFC 1952 (gzip), RFC 8878 (zstd), the specifications of xz, bzip2 and of the
 * LZ4 frame; for bzip2 the level after it is compared, too, since "BZh" could begin a text. zstd reads its formats from
 * 0.1 on, lz4 -l makes frames of an older kind, gzip reads files of compress, and xz those of lzma: they begin with the
 * byte 93, so the bytes after it are compared, too, the size of a dictionary from 64 KiB on and the unknown size, as
 * lzma writes it.
 *
 * Files of zstd and lz4 may begin with frames of other data, which either program skips, as pzstd makes them. What
 * follows them decides; if it cannot be seen, zstd is taken, which, as usually built, reads files of lz4 as well, and
 * else fails. */

#include "system/packer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "system/program.h"

/* The first of SKIPPED_MAGICS beginnings of frames that are skipped; they differ in their first byte. */
#define SKIPPED_MAGIC "\x50\x2a\x4d\x18"
enum { SKIPPED_MAGICS = 16 };

/* If bzip2 finds unknown bytes after a compressed file, it leaves them out and succeeds, but says so. */
static const char strict_bunzip2[] = "{ said=$(bzip2 -dc 2>&1 >&3 3>&-); } 3>&1; status=$?\n"
                                     "[ -z \"$said\" ] || printf '%s\\n' \"$said\" >&2\n"
                                     "[ $status -gt 0 ] || [ -z \"$said\" ] || status=1\n"
                                     "exit $status";

/* -n: no time in the file, so that the same records make the same file. The largest window of zstd, 2 GiB, is too large
 * for a program of 32 bits. */
#define ZSTD_WINDOW (sizeof(size_t) > 4 ? "--long=31" : "--long=30")

static const struct packer packers[] = {
    {{"pigz", "gzip"}, {"-p"}, "-nc", NULL, {".gz", ".tgz"}, {{"\x1f\x8b", 2, 1}, {"\x1f\x9d", 2, 1}}, NULL},
    {{"zstd"},
     {"-T"},
     "-c",
     ZSTD_WINDOW,
     {".zst", ".tzst", ".zstd"},
     {{"\x1e\xb5\x2f\xfd", 4, 11}, {SKIPPED_MAGIC, 4, SKIPPED_MAGICS}},
     NULL},
    {{"xz"}, {"-T"}, "-c", NULL, {".xz", ".txz"}, {{"\xfd\x37\x7a\x58\x5a\x00", 6, 1}, {"\x5d\x00\x00", 3, 1}}, NULL},
    {{"lbzip2", "pbzip2", "bzip2"}, {"-n", "-p"}, "-c", NULL, {".bz2", ".tbz2"}, {{"BZh", 3, 1}}, strict_bunzip2},
    {{"lz4"}, {NULL}, "-c", NULL, {".lz4"}, {{"\x04\x22\x4d\x18", 4, 1}, {"\x02\x21\x4c\x18", 4, 1}}, NULL},
};

const char *const packer_own_variables[] = {"GZIP",  "XZ_OPT", "XZ_DEFAULTS", "ZSTD_CLEVEL",   "ZSTD_NBTHREADS",
                                            "BZIP2", "BZIP",   "LZ4_CLEVEL",  "LZ4_NBWORKERS", NULL};

enum { PACKERS = sizeof packers / sizeof packers[0] };

static bool begins_with(const struct packer_beginning *beginning, const uint8_t *data, size_t bytes)
{
    if (bytes < beginning->bytes || memcmp(data + 1, beginning->data + 1, beginning->bytes - 1) != 0 ||
        (unsigned)(data[0] - (uint8_t)beginning->data[0]) >= beginning->first)
        return false;
    switch (data[0]) {
    case 'B':
        return bytes > beginning->bytes && data[3] >= '1' && data[3] <= '9';
    case 0x5d:
        return bytes > 5 && (data[3] > 0) != (data[4] > 0) && data[5] == 0xff;
    default:
        return true;
    }
}

uint64_t packer_skips(const uint8_t *data, size_t bytes)
{
    static const struct packer_beginning skipped = {SKIPPED_MAGIC, 4, SKIPPED_MAGICS};

    if (bytes < PACKER_LOOK_BYTES || !begins_with(&skipped, data, bytes))
        return 0;
    return PACKER_LOOK_BYTES + (uint64_t)load32le(data + skipped.bytes);
}

static const struct packer *packer_at(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < PACKERS; i++)
        for (size_t b = 0; b < PACKER_BEGINNINGS && packers[i].beginning[b].data != NULL; b++)
            if (begins_with(&packers[i].beginning[b], data, bytes))
                return &packers[i];
    return NULL;
}

const struct packer *packer_of_beginning(const uint8_t *data, size_t bytes)
{
    const struct packer *first = packer_at(data, bytes), *packer = first;
    uint64_t skipped;

    while ((skipped = packer_skips(data, bytes)) > 0 && skipped < bytes) {
        data += skipped;
        bytes -= (size_t)skipped;
        packer = packer_at(data, bytes);
    }
    return packer != NULL ? packer : first;
}

bool packer_ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), ending_length = strlen(ending);

    return length >= ending_length && strcasecmp(name + length - ending_length, ending) == 0;
}

const struct packer *packer_of_name(const char *name)
{
    for (size_t i = 0; i < PACKERS; i++)
        for (size_t e = 0; e < PACKER_ENDINGS && packers[i].ending[e] != NULL; e++)
            if (packer_ends_with(name, packers[i].ending[e]))
                return &packers[i];
    return NULL;
}

/* The last of its programs. */
static unsigned last_program(const struct packer *packer)
{
    unsigned last = PACKER_PROGRAMS - 1;

    while (packer->program[last] == NULL)
        last--;
    return last;
}

const char *packer_name(const struct packer *packer)
{
    return packer->program[last_program(packer)];
}

static void compose(struct packer_command *command, const char *program, const char *options)
{
    *command = (struct packer_command){.arguments = {program, options}, .program = program};
    snprintf(command->text, sizeof command->text, "%s %s", program, options);
}

void packer_pack(struct packer_command *command, const struct packer *packer, unsigned threads)
{
    const unsigned last = last_program(packer);
    unsigned chosen = 0;

    while (chosen < last && !program_is_there(packer->program[chosen]))
        chosen++;
    compose(command, packer->program[chosen], packer->pack);
    if (packer->threads[chosen] == NULL)
        return;
    snprintf(command->threads, sizeof command->threads, "%s%u", packer->threads[chosen], threads);
    command->arguments[2] = command->threads;
    snprintf(command->text, sizeof command->text, "%s %s %s", command->program, packer->pack, command->threads);
}

const char *packer_faster(const struct packer *packer, const struct packer_command *command)
{
    return command->arguments[2] == NULL && last_program(packer) > 0 ? packer->program[0] : NULL;
}

/* Never pigz: it does the same, and says nothing. */
void packer_unpack(struct packer_command *command, const struct packer *packer)
{
    compose(command, packer_name(packer), "-dc");
    command->arguments[2] = packer->window;
    if (packer->script != NULL)
        memcpy(command->arguments, (const char *[]){"sh", "-c", packer->script}, 3 * sizeof command->arguments[0]);
}

void packer_check(const struct packer_command *command, const char *name)
{
    if (program_is_there(command->program))
        return;
    errno = ENOENT;
    packer_report(command, name);
}

void packer_report(const struct packer_command *command, const char *name)
{
    die("%s: cannot run '%s': %s", fault_name(name), command->text, fault_cause(errno));
}
