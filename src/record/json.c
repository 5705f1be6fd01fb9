/*
 * A machine of one state for each thing that may follow, with loops of their own for strings, numbers and words, in
 * which nearly all bytes are. It looks at every value, and remembers only which containers are open, and how many of
 * these, from the outermost one on, are on the way to the value that is sought.
 */

#include "record/json.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/sha256.h"
#include "record/json_inside.h"

enum { LAST_OF_BMP = 0xffff, SURROGATES = 0x400 };

bool json_is_pointer(const char *text)
{
    for (const char *at = strchr(text, '~'); at != NULL; at = strchr(at + 1, '~'))
        if (at[1] != '0' && at[1] != '1')
            return false;
    return text[0] == '/';
}

void json_begin(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds)
{
    memset(json, 0, offsetof(struct json, objects));
    json->value = json->text = text;
    json->room = room;
    json->folds = folds;
    json->found = JSON_MISSING;
    json->path = json->rest = pointer;
    json->hit = true;
}

/* ---- The pointer ---- */

static bool is_end_of_token(char byte)
{
    return byte == '/' || byte == '\0';
}

/* The token as an index, with *rest after it; UINT64_MAX if it is none: then an array has no such element. */
static uint64_t read_index(const char *path, const char **rest)
{
    uint64_t index = 0;
    const char *at = path + 1;

    for (; *at >= '0' && *at <= '9' && index < UINT64_MAX / 10 - 1; at++)
        index = index * 10 + (uint64_t)(*at - '0');
    *rest = at;
    return at == path + 1 || !is_end_of_token(*at) || (path[1] == '0' && at > path + 2) ? UINT64_MAX : index;
}

/* Compare the next bytes of a name with the token. */
static void match(struct json *json, const uint8_t *data, size_t bytes)
{
    const char *at = json->match;

    for (size_t i = 0; i < bytes && at != NULL; i++) {
        const char *wanted = *at == '~' ? (at[1] == '0' ? "~" : "/") : at;

        if (is_end_of_token(*at) || data[i] != (uint8_t)*wanted)
            at = NULL;
        else
            at += *at == '~' ? 2 : 1;
    }
    json->match = at;
}

/* ---- Strings ---- */

static void keep(struct json *json, const uint8_t *data, size_t bytes)
{
    json->too_long =
        sha256_keep(json->text, json->room, json->folds, &json->bytes, data, bytes) < bytes || json->too_long;
}

/* Take the next decoded bytes of a string. */
static void take(struct json *json, const uint8_t *data, size_t bytes)
{
    if (json->match != NULL)
        match(json, data, bytes);
    if (json->keeps)
        keep(json, data, bytes);
}

/* Take the next character of a string, in UTF-8. */
static void take_code(struct json *json, uint32_t code)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    uint8_t utf8[4];
    const size_t more = (size_t)(code > 0x7f) + (code > 0x7ff) + (code > LAST_OF_BMP);

    for (size_t i = more; i > 0; i--) {
        utf8[i] = 0x80 | (code & 0x3f);
        code >>= 6;
    }
    utf8[0] = (uint8_t)(first[more] | code);
    take(json, utf8, more + 1);
}

/* Take the first half of a surrogate pair, if there is one, which stands alone. */
static void take_high(struct json *json)
{
    if (json->high != 0)
        take_code(json, json->high);
    json->high = 0;
}

/* Take the number of an escape of four digits. */
static void take_unit(struct json *json, uint32_t unit)
{
    if (json->high != 0 && unit / SURROGATES == 0xdc00 / SURROGATES) {
        unit = LAST_OF_BMP + 1 + (json->high % SURROGATES) * SURROGATES + unit % SURROGATES;
        json->high = 0;
    }
    take_high(json);
    if (unit / SURROGATES == 0xd800 / SURROGATES)
        json->high = unit;
    else
        take_code(json, unit);
}

static void begin_string(struct json *json, bool is_name)
{
    json->next = NEXT_STRING;
    json->is_name = is_name;
    json->keeps = json->keeps && !is_name;
    json->match = is_name && json->matched == json->depth ? json->path + 1 : NULL;
}

static void end_string(struct json *json)
{
    take_high(json);
    json->next = json->is_name ? NEXT_COLON : NEXT_END;
    json->hit = json->match != NULL && is_end_of_token(*json->match);
    json->rest = json->match;
    json->match = NULL;
}

/* Take bytes of a string, as many as may be; as the others below, return where the rest begins. */
static const uint8_t *follow_string(struct json *json, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *from = at;

    at = end_of_text(at, end);
    if (at > from) {
        take_high(json);
        take(json, from, (size_t)(at - from));
    }
    if (at == end)
        return at;
    if (*at == '"')
        end_string(json);
    else
        json->next = *at == '\\' ? NEXT_ESCAPED : NEXT_NOTHING;
    return at + 1;
}

/* The byte after a backslash. The digits of a \u come after a 1, which tells when there are four. */
static void follow_escape(struct json *json, uint8_t byte)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *escape = memchr(escapes, byte, sizeof escapes - 1);

    json->code = 1;
    json->next = byte == 'u' ? NEXT_HEX : escape != NULL ? NEXT_STRING : NEXT_NOTHING;
    if (escape != NULL) {
        take_high(json);
        take(json, (const uint8_t *)meant + (escape - escapes), 1);
    }
}

static void follow_hex(struct json *json, uint8_t byte)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = memchr(digits, byte, sizeof digits - 1);
    const uint32_t value = digit == NULL ? 0 : (uint32_t)(digit - digits);

    json->code = json->code << 4 | (value < 16 ? value : value - 6);
    json->next = digit == NULL ? NEXT_NOTHING : json->code <= LAST_OF_BMP ? NEXT_HEX : NEXT_STRING;
    if (json->next == NEXT_STRING)
        take_unit(json, json->code & LAST_OF_BMP);
}

/* ---- Numbers and words ---- */

static const uint8_t *follow_word(struct json *json, const uint8_t *at, const uint8_t *end)
{
    const size_t bytes = least_size(strlen(json->word), (size_t)(end - at));
    const bool agrees = memcmp(at, json->word, bytes) == 0;

    if (json->keeps)
        keep(json, at, bytes);
    json->word += bytes;
    if (!agrees || *json->word == '\0')
        json->next = agrees ? json->after : NEXT_NOTHING;
    return at + bytes;
}

static void begin_word(struct json *json, const char *word, enum next after)
{
    json->next = NEXT_WORD;
    json->word = word;
    json->after = (uint8_t)after;
}

/* The states within a number. */
enum number { NO_NUMBER, MINUS, ZERO, INTEGER, POINT, FRACTION, E, SIGN, EXPONENT };

static enum number number_after(enum number number, uint8_t byte)
{
    static const uint8_t after[][5] = {
        /* the state after each: by 0, by another digit, by a point, by e, by a sign */
        [MINUS] = {ZERO, INTEGER},
        [ZERO] = {[2] = POINT, E},
        [INTEGER] = {INTEGER, INTEGER, POINT, E},
        [POINT] = {FRACTION, FRACTION},
        [FRACTION] = {FRACTION, FRACTION, [3] = E},
        [E] = {EXPONENT, EXPONENT, [4] = SIGN},
        [SIGN] = {EXPONENT, EXPONENT},
        [EXPONENT] = {EXPONENT, EXPONENT},
    };

    if (byte >= '0' && byte <= '9')
        return after[number][byte != '0'];
    return byte == '.'                  ? after[number][2]
           : byte == 'e' || byte == 'E' ? after[number][3]
           : byte == '+' || byte == '-' ? after[number][4]
                                        : NO_NUMBER;
}

static bool is_whole(enum number number)
{
    return number == ZERO || number == INTEGER || number == FRACTION || number == EXPONENT;
}

static const uint8_t *follow_number(struct json *json, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *from = at;
    enum number number = json->number, after;

    while (at < end && (after = number_after(number, *at)) != NO_NUMBER) {
        at++;
        if (after == number)
            at = end_of_run(at, end, digits_end);
        number = after;
    }
    if (json->keeps)
        keep(json, from, (size_t)(at - from));
    json->number = (uint8_t)number;
    if (at == end)
        return at;
    json->next = is_whole(number) ? NEXT_END : NEXT_NOTHING;
    if (number == MINUS && *at == 'I') {
        begin_word(json, "Infinity", NEXT_END);
        json->found = json->keeps ? JSON_NULL : json->found;
    }
    return at;
}

/* ---- Containers ---- */

static bool is_in_object(const struct json *json)
{
    return json->depth > 0 && (json->objects[(json->depth - 1) / 64] >> (json->depth - 1) % 64 & 1) != 0;
}

static void enter(struct json *json, bool is_object, bool on_way)
{
    const uint64_t bit = (uint64_t)1 << json->depth % 64;
    uint64_t *objects = &json->objects[json->depth / 64];

    json->next = is_object ? NEXT_MEMBER : NEXT_ELEMENT;
    if (json->depth == JSON_DEPTH_MAX) {
        json->next = NEXT_NOTHING;
        json->depth++; /* for json_end */
        return;
    }
    *objects = is_object ? *objects | bit : *objects & ~bit;
    json->depth++;
    if (!on_way)
        return;
    json->matched++;
    json->path = json->rest;
    json->left = read_index(json->path, &json->rest);
    json->hit = json->left == 0; /* for the first element; a name in an object sets it again */
}

/* No element of an array after the one just left is on the way. */
static void leave(struct json *json)
{
    json->next = NEXT_END;
    json->hit = false;
    if (json->matched == json->depth) {
        json->left = 0;
        json->matched--;
        while (json->matched > 0 && *--json->path != '/')
            continue;
    }
    json->depth--;
}

/* A comma in an array. */
static void count_element(struct json *json)
{
    json->next = NEXT_VALUE;
    if (json->matched < json->depth || json->left == 0 || --json->left > 0)
        return;
    (void)read_index(json->path, &json->rest);
    json->hit = true;
}

/* ---- Values ---- */

/* A value that is sought, or on the way to it, replaces what was found before: if a name occurs twice, the last one
 * counts. */
void json_begin_value(struct json *json, uint8_t byte)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity"};
    const bool is_sought = json->hit && *json->rest == '\0', on_way = json->hit && !is_sought;
    enum json_value value = JSON_TEXT;

    json->next = NEXT_NOTHING;
    json->keeps = is_sought;
    if (json->hit) {
        json->bytes = 0;
        json->too_long = false;
        json->found = JSON_MISSING;
    }
    json->hit = false;
    if (byte == '"') {
        begin_string(json, false);
    } else if (byte == '{' || byte == '[') {
        value = byte == '{' ? JSON_OBJECT : JSON_ARRAY;
        enter(json, byte == '{', on_way);
    } else if (byte == '-' || (byte >= '0' && byte <= '9')) {
        json->next = NEXT_DIGIT;
        json->number = byte == '-' ? MINUS : byte == '0' ? ZERO : INTEGER;
    } else {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (byte == (uint8_t)words[i][0]) {
                begin_word(json, words[i] + 1, NEXT_END);
                value = i < 2 ? JSON_TEXT : JSON_NULL;
            }
    }
    if (is_sought)
        json->found = value;
    if (is_sought && (json->next == NEXT_DIGIT || json->next == NEXT_WORD))
        keep(json, &byte, 1);
}

/* ---- The text ---- */

/* A byte outside strings, numbers and words. */
static void follow_mark(struct json *json, uint8_t byte)
{
    const enum next next = json->next;
    const bool is_object = is_in_object(json);

    if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        return;
    json->next = NEXT_NOTHING;
    if (json->depth > 0 && byte == (is_object ? '}' : ']') &&
        (next == NEXT_ELEMENT || next == NEXT_MEMBER || next == NEXT_END))
        leave(json);
    else if (next == NEXT_VALUE || next == NEXT_ELEMENT)
        json_begin_value(json, byte);
    else if ((next == NEXT_NAME || next == NEXT_MEMBER) && byte == '"')
        begin_string(json, true);
    else if (next == NEXT_COLON && byte == ':')
        json->next = NEXT_VALUE;
    else if (next == NEXT_END && json->depth > 0 && byte == ',' && is_object)
        json->next = NEXT_NAME;
    else if (next == NEXT_END && json->depth > 0 && byte == ',')
        count_element(json);
}

/* Follow one thing, as far as it is there: a mark, or what of a string, number or word stands side by side. */
INLINE const uint8_t *step(struct json *json, const uint8_t *at, const uint8_t *end)
{
    switch ((enum next)json->next) {
    case NEXT_STRING:
        return follow_string(json, at, end);
    case NEXT_ESCAPED:
        follow_escape(json, *at);
        break;
    case NEXT_HEX:
        follow_hex(json, *at);
        break;
    case NEXT_DIGIT:
        return follow_number(json, at, end);
    case NEXT_WORD:
        return follow_word(json, at, end);
    case NEXT_NOTHING:
        return end;
    case NEXT_TEXT:
        json->next = NEXT_VALUE;
        if (*at != 0xef)
            return at;
        begin_word(json, "\xbb\xbf", NEXT_VALUE); /* the byte-order mark, U+FEFF */
        break;
    default:
        follow_mark(json, *at);
    }
    return at + 1;
}

const uint8_t *json_step(struct json *json, const uint8_t *at, const uint8_t *end)
{
    return step(json, at, end);
}

const uint8_t *json_follow_to(struct json *json, const uint8_t *at, const uint8_t *end, int64_t depth)
{
    while (at < end && (json->next >= NEXT_STRING || json->depth > depth))
        at = step(json, at, end);
    return at;
}

void json_follow(struct json *json, const uint8_t *data, size_t bytes)
{
    json_follow_to(json, data, data + bytes, -1);
}

enum json_value json_end(struct json *json)
{
    const bool ended = json->next == NEXT_END || (json->next == NEXT_DIGIT && is_whole(json->number));

    if (json->depth > JSON_DEPTH_MAX)
        return JSON_DEEP;
    return ended && json->depth == 0 ? json->found : JSON_INVALID;
}
