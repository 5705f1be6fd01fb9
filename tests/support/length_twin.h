#ifndef BIGSHUF_TESTS_LENGTH_TWIN_H
#define BIGSHUF_TESTS_LENGTH_TWIN_H

/* Records that begin with their length, and the checksums of TFRecord, byte by byte and bit by bit. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/length.h"
#include "record/record.h"

/* Do records of this format begin with their length? */
static inline bool length_twin_is_of(const struct record_format *format)
{
    return record_kind(format)->ends == length_kinds_varint.ends;
}

/* The length that begins with data[0, bytes) and how many bytes it has; 0 if not all of it is there, and UINT64_MAX if
 * it is no number below 2^63. */
static inline size_t length_twin_prefix(enum length_coding coding, const uint8_t *data, size_t bytes, uint64_t *length)
{
    const bool big = coding == LENGTH_U32BE || coding == LENGTH_U64BE;
    const size_t size = coding == LENGTH_U32LE || coding == LENGTH_U32BE ? 4 : 8;

    *length = 0;
    if (coding == LENGTH_VARINT) {
        for (size_t i = 0; i < bytes && i < 10; i++) {
            for (unsigned bit = 0; bit < 7; bit++) {
                if ((data[i] >> bit & 1) == 0)
                    continue;
                *length = i == 9 ? UINT64_MAX : *length | (uint64_t)1 << (7 * i + bit);
            }
            if (data[i] < 128)
                return i + 1;
        }
        *length = UINT64_MAX;
        return bytes < 10 ? 0 : 10;
    }
    for (size_t i = 0; i < size && size <= bytes; i++)
        *length += (uint64_t)data[i] << 8 * (big ? size - 1 - i : i);
    if (*length >> 63 != 0)
        *length = UINT64_MAX;
    return size <= bytes ? size : 0;
}

/* Is record[0, bytes) a whole one, if nothing shorter is? */
static inline bool length_twin_is_record(enum length_coding coding, const uint8_t *record, size_t bytes)
{
    const size_t sums = coding == LENGTH_TFRECORD ? 8 : 0;
    uint64_t length;
    const size_t prefix = length_twin_prefix(coding, record, bytes, &length);

    return prefix > 0 && bytes >= prefix + sums && length == bytes - prefix - sums;
}

/* CRC-32C by its definition (RFC 3720). */
static inline uint32_t length_twin_crc(const uint8_t *data, size_t bytes)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

/* Write the masked checksum of some bytes, as TFRecord has it. */
static inline void length_twin_put_sum(uint8_t to[4], const uint8_t *data, size_t bytes)
{
    const uint32_t crc = length_twin_crc(data, bytes);
    const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8;

    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(masked >> 8 * i);
}

/* How many bytes stand before the data: a length, and its checksum. */
static inline size_t length_twin_head_bytes(enum length_coding coding, uint64_t length)
{
    size_t bytes = 1;

    if (coding != LENGTH_VARINT)
        return coding == LENGTH_TFRECORD ? 12 : coding == LENGTH_U32LE || coding == LENGTH_U32BE ? 4 : 8;
    while (length >>= 7)
        bytes++;
    return bytes;
}

/* Write a record with this data, which stands elsewhere. Returns how many bytes it has, at most 16 more. */
static inline size_t length_twin_put(enum length_coding coding, uint8_t *to, const uint8_t *data, size_t bytes)
{
    const bool big = coding == LENGTH_U32BE || coding == LENGTH_U64BE;
    const size_t head = length_twin_head_bytes(coding, bytes);
    const size_t size = coding == LENGTH_TFRECORD ? 8 : head;

    for (size_t i = 0; i < size; i++) {
        if (coding == LENGTH_VARINT)
            to[i] = (uint8_t)((bytes >> 7 * i & 127) | (i + 1 < size ? 128 : 0));
        else
            to[i] = (uint8_t)((uint64_t)bytes >> 8 * (big ? size - 1 - i : i));
    }
    for (size_t i = 0; i < bytes; i++)
        to[head + i] = data[i];
    if (coding != LENGTH_TFRECORD)
        return head + bytes;
    length_twin_put_sum(to + 8, to, 8);
    length_twin_put_sum(to + head + bytes, data, bytes);
    return head + bytes + 4;
}

#endif
