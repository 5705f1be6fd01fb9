/* Several texts are hashed in little more time than one. The next record overwrites a field that does not stand in its
 * own, so it is copied for that, unless it is a long one. */

#include "record/hasher.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"
#include "system/sys.h"

/* Records whose hashes are found at a time, and bytes of a field that are copied for that. */
enum { AT_ONCE = 16, COPIED_BYTES = 64 };

/* What a thread has. */
struct finder {
    _Alignas(SYS_APART_BYTES) struct siphash_key hashing;
    struct key *key; /* NULL: the whole record */
    struct key_watch watch;
    struct siphash_pieces whole; /* the whole record as far as it has come, but for */
    struct record_kept last;     /* its last bytes */
};

struct hasher {
    struct key_rule rule;
    const char *label, *option;
    size_t end_bytes; /* of the delimiter of a record */
    unsigned threads;
    struct finder finder[];
};

static size_t delimiter_bytes(const struct record_format *format)
{
    if (format->string_bytes > 0 && !record_is(format, RECORD_LAST_LINE))
        return format->string_bytes;
    return format->kind == NULL || record_is(format, RECORD_OF_LINES | RECORD_QUOTED);
}

struct hasher *hasher_new(const struct key_rule *rule, const char *label, const char *option, unsigned threads)
{
    struct hasher *hasher = fault_memory(sys_allocate_apart(1, sizeof *hasher + threads * sizeof *hasher->finder));

    hasher->rule = *rule;
    hasher->label = label;
    hasher->option = option;
    hasher->end_bytes = delimiter_bytes(&rule->format);
    for (; hasher->threads < threads; hasher->threads++)
        if (rule->choice != NULL)
            hasher->finder[hasher->threads].key = key_new(&hasher->rule);
    return hasher;
}

void hasher_free(struct hasher *hasher)
{
    for (unsigned i = 0; hasher != NULL && i < hasher->threads; i++)
        free(hasher->finder[i].key);
    free(hasher);
}

void hasher_begin(struct hasher *hasher, const struct random_key *key)
{
    for (unsigned i = 0; i < hasher->threads; i++) {
        hasher_turn(hasher, i, key);
        hasher->finder[i].watch = (struct key_watch){.records = 0};
    }
}

void hasher_turn(struct hasher *hasher, unsigned thread, const struct random_key *key)
{
    hasher->finder[thread].hashing = random_hashing(key, hasher->label);
}

bool hasher_has_fields(const struct hasher *hasher)
{
    return hasher->rule.choice != NULL;
}

size_t hasher_whole(struct hasher *hasher, unsigned thread, const struct siphash_text *record, size_t count,
                    struct siphash_pair *hash)
{
    struct finder *finder = &hasher->finder[thread];
    struct siphash_text text[AT_ONCE];
    uint8_t copy[AT_ONCE][COPIED_BYTES];
    size_t n = 0; /* texts at hand */

    for (size_t i = 0; i < count; i++) {
        bool stays = true, copies;

        text[n].data = record[i].data;
        text[n].bytes = record[i].bytes - least_size(record[i].bytes, hasher->end_bytes);
        if (finder->key != NULL) {
            if (key_find(finder->key, record[i].data, record[i].bytes) != FIELD_FOUND) {
                count = i;
                break;
            }
            key_saw(&finder->watch, finder->key, text[n].data, text[n].bytes);
            text[n] = (struct siphash_text){finder->key->text, finder->key->bytes};
            copies = (uintptr_t)text[n].data - (uintptr_t)record[i].data >= record[i].bytes;
            stays = !copies || text[n].bytes <= COPIED_BYTES;
            if (copies && stays)
                text[n].data = memcpy(copy[n], text[n].data, text[n].bytes);
        } else {
            finder->watch.records++;
            finder->watch.returns += text[n].bytes > 0 && text[n].data[text[n].bytes - 1] == '\r';
        }
        n++;
        if (!stays || n == AT_ONCE) {
            siphash_pairs(&finder->hashing, text, n, hash + i + 1 - n);
            n = 0;
        }
    }
    siphash_pairs(&finder->hashing, text, n, hash + count - n);
    return count;
}

static void add_bytes(void *context, const uint8_t *data, size_t bytes)
{
    siphash_add(context, data, bytes);
}

enum key_found hasher_piece(struct hasher *hasher, unsigned thread, const uint8_t *data, size_t bytes, bool first,
                            bool last, struct siphash_pair *hash)
{
    struct finder *finder = &hasher->finder[thread];
    struct key *key = finder->key;
    enum key_found found;

    if (first && last)
        return hasher_whole(hasher, thread, &(struct siphash_text){data, bytes}, 1, hash) > 0 ? KEY_FOUND : KEY_MISSING;
    if (key == NULL) {
        if (first) {
            finder->last.bytes = 0;
            siphash_begin(&finder->whole, &finder->hashing);
        }
        record_put_but_last(&finder->last, hasher->end_bytes, data, bytes, add_bytes, &finder->whole);
        if (last)
            *hash = siphash_end(&finder->whole);
        return last ? KEY_FOUND : KEY_TO_COME;
    }
    found = key_take(key, data, bytes, first, last);
    if (found == KEY_FOUND) {
        key_saw(&finder->watch, key, NULL, 0);
        *hash = siphash_pair(&finder->hashing, key->text, key->bytes);
    }
    return found;
}

_Noreturn void hasher_refuse(const struct hasher *hasher, unsigned thread, const char *place, uint64_t number,
                             const uint8_t *record, size_t bytes)
{
    key_refuse(hasher->finder[thread].key, place, number, record, bytes);
}

/* Threads saw one part of the records each. */
void hasher_warn(const struct hasher *hasher)
{
    struct key_watch all = {.records = 0};

    for (unsigned i = 0; i < hasher->threads; i++)
        key_watch_add(&all, &hasher->finder[i].watch);
    if (hasher->rule.choice != NULL)
        key_warn(&all, &hasher->rule, hasher->option);
    else if (all.returns > 0 && all.returns < all.records && hasher->rule.format.delimiter == '\n')
        fault_warn("%s: some lines end with a carriage return, others do not, and are taken for different ones; "
                   "write tr -d '\\r' < FILE | bigshuf --unique",
                   hasher->option);
}
