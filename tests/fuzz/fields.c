/* A field is what a loop over the bytes of its record finds, whatever the pieces, also in CSV; and so is a key. */

#include "fuzz.h"

#include "record/field.h"
#include "record/key.h"

enum { BYTES_MAX = 4096 };

struct found {
    bool there, ended;
    uint8_t text[BYTES_MAX];
    size_t bytes;
    size_t columns; /* if it is not there */
};

/* Character by character, with the record at hand as a whole. */
static void find(struct field_place place, const uint8_t *data, size_t bytes, struct found *found)
{
    uint64_t number = 1;
    bool inside = false;

    *found = (struct found){.there = place.choice->number == 1};
    for (size_t i = 0; i < bytes && !found->ended; i++) {
        const bool quote = place.quoted && data[i] == '"';

        if (quote && inside && i + 1 < bytes && data[i + 1] == '"') {
            if (number == place.choice->number)
                found->text[found->bytes++] = data[i];
            i++;
        } else if (quote) {
            inside = !inside;
        } else if (data[i] == place.separator && !inside) {
            found->ended = number == place.choice->number;
            found->there = ++number >= place.choice->number;
        } else if (number == place.choice->number) {
            found->text[found->bytes++] = data[i];
        }
    }
    found->columns = number;
}

static void follow(struct field_place place, const uint8_t *data, size_t bytes, size_t step, const struct found *found)
{
    uint8_t *text = malloc(found->bytes + 1);
    struct field field;
    bool ended = false;

    FUZZ_CHECK(text != NULL);
    field_begin(&field, place, true, text, found->bytes);
    for (size_t at = 0; at < bytes && !ended; at += step) {
        uint8_t *piece = fuzz_copy(data + at, step < bytes - at ? step : bytes - at);

        ended = field_follow(&field, piece, step < bytes - at ? step : bytes - at);
        free(piece);
    }
    FUZZ_CHECK(ended == found->ended && (field_end(&field, ended, '\0') == FIELD_FOUND) == found->there);
    FUZZ_CHECK(!field.too_long && field.bytes == (found->there ? found->bytes : found->columns));
    FUZZ_CHECK(memcmp(text, found->text, found->bytes) == 0);
    free(text);
}

static void check_key(struct field_place place, const uint8_t *data, size_t bytes, const struct found *found)
{
    struct key_choice choice = {.count = 1, .field[0] = *place.choice};
    const struct key_rule rule = {.format = {.delimiter = ';'}, .place = place, .choice = &choice};
    struct key *key = key_new(&rule);
    uint8_t *record = fuzz_copy(data, bytes + 1); /* with a delimiter */
    enum field_verdict whole = key_find(key, record, bytes + 1, true);

    FUZZ_CHECK(whole == (found->there ? FIELD_FOUND : FIELD_MISSING));
    FUZZ_CHECK(whole != FIELD_FOUND || (key->bytes == found->bytes && memcmp(key->text, found->text, key->bytes) == 0));
    FUZZ_CHECK(key_find(key, record, bytes, false) == (found->ended ? FIELD_FOUND : FIELD_BEYOND));
    free(record);
    free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct found found;
    struct fuzz fuzz = {data, bytes};
    const bool quoted = fuzz_byte(&fuzz) % 2 != 0;
    const uint8_t separator = fuzz_byte(&fuzz);
    struct field_choice choice = {.kind = FIELD_NUMBER, .number = 1 + fuzz_byte(&fuzz) % 4};
    struct field_place place = {.choice = &choice, .separator = separator, .quoted = quoted};
    const size_t step = 1 + fuzz_byte(&fuzz);

    if (fuzz.bytes == 0 || fuzz.bytes > BYTES_MAX || (quoted && separator == '"'))
        return 0;
    find(place, fuzz.data, fuzz.bytes - 1, &found);
    follow(place, fuzz.data, fuzz.bytes - 1, step, &found);
    check_key(place, fuzz.data, fuzz.bytes - 1, &found);
    return 0;
}
