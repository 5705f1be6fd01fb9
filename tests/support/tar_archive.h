#pragma once

/* Archives as a test wants them, right or wrong. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TAR_ARCHIVE_BLOCK = 512, TAR_ARCHIVE_BYTES = 1 << 16 };

struct tar_archive {
    uint8_t data[TAR_ARCHIVE_BYTES];
    size_t bytes;
    size_t header; /* where the last one begins */
};

/* The last header has been changed: let its checksum be right. */
static inline void tar_archive_sum(struct tar_archive *archive)
{
    uint8_t *block = archive->data + archive->header;
    unsigned sum = 0;

    memset(block + 148, ' ', 8);
    for (size_t i = 0; i < TAR_ARCHIVE_BLOCK; i++)
        sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
}

/* Replace a text in the last header, whose fields are not ended. */
static inline void tar_archive_set(struct tar_archive *archive, size_t at, const char *text)
{
    memcpy(archive->data + archive->header + at, text, strlen(text));
    tar_archive_sum(archive);
}

/* A header block of the form of POSIX. */
static inline void tar_archive_header(struct tar_archive *archive, char type, const char *name, uint64_t size)
{
    uint8_t *block = archive->data + archive->bytes;

    archive->header = archive->bytes;
    memset(block, 0, TAR_ARCHIVE_BLOCK);
    memcpy(block, name, strnlen(name, 100));
    snprintf((char *)block + 124, 12, "%011" PRIo64, size);
    block[156] = (uint8_t)type;
    memcpy(block + 257, "ustar", sizeof "ustar");
    block[263] = block[264] = '0';
    tar_archive_sum(archive);
    archive->bytes += TAR_ARCHIVE_BLOCK;
}

/* Data, and zeros up to a whole block. */
static inline void tar_archive_data(struct tar_archive *archive, const char *data, size_t bytes)
{
    memcpy(archive->data + archive->bytes, data, bytes);
    archive->bytes += bytes;
    while (archive->bytes % TAR_ARCHIVE_BLOCK != 0)
        archive->data[archive->bytes++] = 0;
}

static inline void tar_archive_add(struct tar_archive *archive, char type, const char *name, const char *data)
{
    tar_archive_header(archive, type, name, strlen(data));
    tar_archive_data(archive, data, strlen(data));
}
