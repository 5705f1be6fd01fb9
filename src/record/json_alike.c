/* Texts of one origin are alike: they have the same names in the same order. The parts between the values of one text
 * are learned, and compared with those of the next texts, of which only the values are looked at then. */

#include "record/json_alike.h"

#include <string.h>

#include "base/tunable.h"
#include "record/json_inside.h"

/* One in LEARNED_SHARE texts that are not like the one learned last is learned. */
TUNABLE(LEARNED_SHARE, 8, 1, 8);

/* False: there is no room. */
static bool add_part(struct json_form *form, const uint8_t *data, size_t bytes)
{
    const size_t before = form->parts > 0 ? form->ends[form->parts - 1] : 0;

    if (form->parts == JSON_PARTS || bytes > JSON_FORM_BYTES - before)
        return false;
    memcpy(form->text + before, data, bytes);
    form->ends[form->parts++] = (uint16_t)(before + bytes);
    return true;
}

/* Follow a text, and learn what stands between its values: strings, numbers and words; and arrays that are not on the
 * way, as they are of many lengths. */
static void learn(struct json *json, const uint8_t *data, const uint8_t *end)
{
    struct json_form *form = &json->form;
    const uint8_t *at = data, *part = data;
    bool fits = true;

    form->parts = 0;
    while (at < end) {
        const uint8_t *from = at;
        const enum next before = json->next;
        const unsigned depth = json->depth;
        bool passes;

        at = json_step(json, at, end);
        passes = json->next == NEXT_ELEMENT && json->depth > depth && json->matched <= depth;
        if ((before == NEXT_VALUE || before == NEXT_ELEMENT) && (json->next >= NEXT_STRING || passes)) {
            if (json->keeps)
                form->sought = form->parts;
            fits = fits && depth <= JSON_PARTS && add_part(form, part, (size_t)(from - part));
            at = part = json_follow_to(json, at, end, depth);
        }
    }
    if (!fits || json->next != NEXT_END || json->depth > 0 || json->found != JSON_TEXT ||
        !add_part(form, part, (size_t)(end - part)))
        form->parts = 0;
}

/* Is a text like the one that was learned? Then the value that is sought stands there as json->value says. */
static bool is_alike(struct json *json, const uint8_t *at, const uint8_t *end)
{
    const struct json_form *form = &json->form;

    json->depth = JSON_PARTS; /* or less */
    json->matched = 0;
    json->hit = false;
    for (size_t i = 0, from = 0; i < form->parts; from = form->ends[i++]) {
        const size_t bytes = form->ends[i] - from;
        const uint8_t *begins = at + bytes, *next;

        if ((size_t)(end - at) < bytes || memcmp(at, form->text + from, bytes) != 0)
            return false;
        if (i + 1 == form->parts || begins == end)
            return i + 1 == form->parts && begins == end;
        next = *begins == '"' ? end_of_text(begins + 1, end) : begins + 1;
        at = next + 1;
        if (*begins != '"' || next == end || *next != '"') {
            json_begin_value(json, *begins);
            at = json_follow_to(json, next, end, JSON_PARTS);
            if (json->next != NEXT_END)
                return false;
        }
        if (i == form->sought) {
            json->value = begins;
            json->bytes = (size_t)(at - begins);
        }
    }
    return false;
}

enum json_value json_alike_find(struct json *json, const char *pointer, uint8_t *text, size_t room, bool folds,
                                const uint8_t *data, size_t bytes)
{
    const bool alike = is_alike(json, data, data + bytes);

    if (alike) {
        const uint8_t *last = json->value + json->bytes - 1;
        const bool is_text = *json->value == '"';

        data = json->value;
        bytes = json->bytes;
        if (bytes < room && (is_text ? end_of_run(data + 1, last, text_ends) == last : *last <= '9')) {
            json->value += is_text;
            json->bytes -= is_text ? 2 : 0;
            json->too_long = false;
            return JSON_TEXT;
        }
    }
    json_begin(json, alike ? "" : pointer, text, room, folds);
    json->next = alike ? NEXT_VALUE : NEXT_TEXT;
    if (alike || json->form.others++ % LEARNED_SHARE != 0)
        json_follow(json, data, bytes);
    else
        learn(json, data, data + bytes);
    return json_end(json);
}
