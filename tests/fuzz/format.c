/* A store's format is read from its text if and only if that is what is written for it. The fuzzer makes the checksum
 * right: a wrong one would hide all else. */

#include "fuzz.h"

#include <inttypes.h>

#include "base/xxh64.h"
#include "store/store.h"

/* Another function may have to read it: nothing in it is out of range. */
static void check_ranges(const struct store_format *format)
{
    const struct record_format *record = &format->record;

    FUZZ_CHECK(format->piles >= STORE_FORMAT_PILES_MIN && format->piles <= STORE_FORMAT_PILES_MAX);
    FUZZ_CHECK((format->piles & (format->piles - 1)) == 0);
    FUZZ_CHECK((record->kind != &lines_kind && record->kind != &sizes_kind) || record->count >= 1);
    if (record_kind(record)->takes != RECORD_LINE && record->kind != &string_delimiter_kind)
        return;
    FUZZ_CHECK(record->string_bytes >= 2 && record->string_bytes <= RECORD_DELIMITER_BYTES_MAX);
    FUZZ_CHECK(record->kind == &string_delimiter_kind ||
               (record->string[0] == '\n' && memchr(record->string + 1, '\n', record->string_bytes - 1) == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char form[] = "checksum %016" PRIx64 "\n";
    uint8_t string[RECORD_DELIMITER_BYTES_MAX];
    char again[STORE_FORMAT_TEXT_BYTES], *text = malloc(bytes + sizeof form + 16);
    struct store_format format;

    FUZZ_CHECK(text != NULL);
    memcpy(text, data, bytes);
    bytes += (size_t)sprintf(text + bytes, form, xxh64(data, bytes));
    if (store_format_parse(&format, string, text, bytes)) {
        check_ranges(&format);
        FUZZ_CHECK(store_format_text(&format, again) == bytes && memcmp(again, text, bytes) == 0);
    }
    free(text);
    return 0;
}
