/* Hashing several texts at a time takes little longer than hashing one. The next record overwrites a field that does
 * not stand in its own record, so that field is copied, unless it is long. */

#include "record/hasher.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "system/fault.h"
#include "system/sys.h"

/* How many hashes are found at a time; and the most bytes of a field that are copied for that. */
enum { AT_ONCE = 16, COPIED_BYTES = 64 };

/* Does any record contain more than its key? If none does, another byte may separate the fields. */
struct watch {
    uint64_t records; /* whose keys were found */
    uint64_t empty;   /* of these, keys with an empty field, */
    uint64_t returns; /* and records that end with a carriage return, if they are the keys */
    bool more;        /* does one of them contain more than the key? */
    bool json;        /* does the first one look like JSON? */
};

/* What a thread has. */
struct finder {
    _Alignas(SYS_APART_BYTES) struct siphash_key hashing;
    struct key *key; /* NULL: the whole record */
    struct watch watch;
    struct siphash_pieces whole; /* the whole record as far as it has come, but for */
    struct record_kept last;     /* its last bytes */
};

struct hasher {
    struct key_rule rule;
    const char *label, *option;
    size_t end_bytes; /* bytes of a record's delimiter */
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
        hasher->finder[i].watch = (struct watch){.records = 0};
    }
}

void hasher_turn(struct hasher *hasher, unsigned thread, const struct random_key *key)
{
    hasher->finder[thread].hashing = random_hashing(key, hasher->label);
}

static bool is_empty(const struct key *key)
{
    const size_t count = key->rule->choice->count;
    bool empty = key->bytes == 0;

    for (size_t i = 0; i < count && count > 1; i++)
        empty = empty || key->field[i].bytes == 0;
    return empty;
}

/* A key was found in `record`, given without its delimiter; NULL: it came in pieces. A carriage return at the end of
 * the line does not count as more than the key. */
static void watch_key(struct watch *watch, const struct key *key, const uint8_t *record, size_t bytes)
{
    const struct key_choice *choice = key->rule->choice;
    const bool returns = bytes > 0 && record[bytes - 1] == '\r';

    watch->empty += is_empty(key);
    if (watch->records++ == 0)
        watch->json = bytes > 0 && record[0] == '{';
    if (!watch->more)
        watch->more = choice->count > 1 || choice->field[0].kind == FIELD_POINTER || choice->field[0].number > 1 ||
                      (record == NULL ? key->ended[0] : bytes > key->bytes + returns);
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
            watch_key(&finder->watch, finder->key, text[n].data, text[n].bytes);
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
        watch_key(&finder->watch, key, NULL, 0);
        *hash = siphash_pair(&finder->hashing, key->text, key->bytes);
    }
    return found;
}

_Noreturn void hasher_refuse(const struct hasher *hasher, unsigned thread, const char *place, uint64_t number,
                             const uint8_t *record, size_t bytes)
{
    key_refuse(hasher->finder[thread].key, place, number, record, bytes);
}

void hasher_warn(const struct hasher *hasher)
{
    struct key_choice *choice = hasher->rule.choice;
    struct field_place place = hasher->rule.place;
    struct watch all = {.records = 0};

    for (unsigned i = 0; i < hasher->threads; i++) {
        const struct watch *watch = &hasher->finder[i].watch;

        all.records += watch->records;
        all.empty += watch->empty;
        all.returns += watch->returns;
        all.more = all.more || watch->more;
        all.json = all.json || watch->json;
    }
    if (choice == NULL) {
        if (all.returns > 0 && all.returns < all.records && hasher->rule.format.delimiter == '\n')
            fault_warn("%s: some lines end with a carriage return, others do not, and are taken for different ones; "
                       "write tr -d '\\r' < FILE | bigshuf --unique",
                       hasher->option);
        return;
    }
    place.choice = &choice->field[0];
    if (all.records > 1 && !all.more)
        fault_warn("%s: no line contains the separator, so each whole line is the field%s", hasher->option,
                   field_advice(&place, true, (const uint8_t *)"{", all.json));
    if (all.empty > 1)
        fault_warn("%s: %llu records have an empty field, and are taken for equal there", hasher->option,
                   (unsigned long long)all.empty);
}
