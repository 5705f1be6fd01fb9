/* A field is the same in whatever pieces its record comes, also in CSV; and so is a key. */

#include "fuzz.h"

#include "record/field.h"
#include "record/key.h"

enum { BYTES_MAX = 4096 };

struct found {
    bool there, ended;
    uint8_t text[BYTES_MAX];
    size_t bytes;
};

/* In pieces of `step` bytes, for a text that has room for `room` bytes. */
static void follow(struct field_place place, const uint8_t *data, size_t bytes, size_t step, size_t room,
                   struct found *found)
{
    uint8_t *text = malloc(room + 1);
    struct field field;

    FUZZ_CHECK(text != NULL);
    *found = (struct found){.ended = false};
    field_seek(&field, place, FIELD_EXACT, text, room);
    field_begin(&field);
    for (size_t at = 0; at < bytes && !found->ended; at += step) {
        uint8_t *piece = fuzz_copy(data + at, step < bytes - at ? step : bytes - at);

        found->ended = field_follow(&field, piece, step < bytes - at ? step : bytes - at);
        free(piece);
    }
    found->there = field_end(&field, found->ended, '\0') == FIELD_FOUND;
    FUZZ_CHECK(!field.too_long && (!found->there || field.bytes <= room));
    found->bytes = field.bytes; /* or the number of columns, if it is not there */
    if (found->there)
        memcpy(found->text, text, field.bytes);
    free(text);
}

static void check_pieces(struct field_place place, const uint8_t *data, size_t bytes, size_t step,
                         const struct found *whole)
{
    static struct found found;

    follow(place, data, bytes, step, whole->there ? whole->bytes : BYTES_MAX, &found);
    FUZZ_CHECK(found.ended == whole->ended && found.there == whole->there && found.bytes == whole->bytes);
    FUZZ_CHECK(!found.there || memcmp(found.text, whole->text, whole->bytes) == 0);
}

static void check_key(struct field_place place, const uint8_t *data, size_t bytes, const struct found *found)
{
    struct key_choice choice = {.count = 1, .field[0] = *place.choice};
    const struct key_rule rule = {.format = {.delimiter = ';'}, .place = place, .choice = &choice};
    struct key *key = key_new(&rule);
    uint8_t *record = fuzz_copy(data, bytes + 1); /* with a delimiter */
    enum field_verdict whole = key_find(key, record, bytes + 1);

    FUZZ_CHECK(whole == (found->there ? FIELD_FOUND : FIELD_MISSING));
    FUZZ_CHECK(whole != FIELD_FOUND || (key->bytes == found->bytes && memcmp(key->text, found->text, key->bytes) == 0));
    free(record);
    free(key);
}

/* Of texts of JSON, one after another, what was found before does not show. */
static void check_texts(const uint8_t *data, size_t bytes)
{
    static struct field fields[2]; /* the first one follows each text, the other one finds it */
    static uint8_t text[2][BYTES_MAX];
    struct field_choice choice = {.kind = FIELD_POINTER, .text = "/a/b"};
    enum field_verdict verdict[2];
    size_t part = 0;

    for (size_t i = 0; i < 2; i++)
        field_seek(&fields[i], (struct field_place){.choice = &choice}, FIELD_EXACT, text[i], BYTES_MAX);
    for (size_t at = 0; at < bytes; at += part + 1) {
        const uint8_t *end = memchr(data + at, '\n', bytes - at);

        part = end != NULL ? (size_t)(end - data) - at : bytes - at;
        field_begin(&fields[0]);
        (void)field_follow(&fields[0], data + at, part);
        verdict[0] = field_end(&fields[0], false, '\n');
        verdict[1] = field_find(&fields[1], data + at, part, '\n');
        FUZZ_CHECK(verdict[0] == verdict[1]);
        FUZZ_CHECK(verdict[0] != FIELD_FOUND || (fields[0].bytes == fields[1].bytes &&
                                                 memcmp(fields[0].found, fields[1].found, fields[0].bytes) == 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct found found;
    struct fuzz fuzz = {data, bytes};
    const uint8_t how = fuzz_byte(&fuzz), separator = fuzz_byte(&fuzz);
    const bool quoted = how % 2 != 0;
    struct field_choice choice = {.kind = FIELD_NUMBER, .number = 1 + fuzz_byte(&fuzz) % 4};
    struct field_place place = {.choice = &choice,
                                .separator = separator,
                                .quoted = quoted,
                                .quotes = {.separated = true, .separator = separator, .backslash = how % 4 == 3}};
    const size_t step = 1 + fuzz_byte(&fuzz);

    if (fuzz.bytes == 0 || fuzz.bytes > BYTES_MAX || (quoted && strchr("\"\\\r\n", separator) != NULL))
        return 0;
    if (how == '{')
        check_texts(fuzz.data, fuzz.bytes);
    follow(place, fuzz.data, fuzz.bytes - 1, fuzz.bytes, BYTES_MAX, &found);
    check_pieces(place, fuzz.data, fuzz.bytes - 1, step, &found);
    check_key(place, fuzz.data, fuzz.bytes - 1, &found);
    return 0;
}
