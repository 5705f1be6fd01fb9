#include "shuffle/divide.h"

#include "shuffle/copy.h"

/* Smaller piles are in the cache as they are, longer records are worth a reference. */
enum { RECORDS_MIN = 1 << 17, RECORD_BYTES_MAX = 64 };

struct division {
    const struct record_format *format;
    const struct order *order;
    struct order_node node;
    unsigned bits;
    struct piles *children;
    struct record_scan scan;
    uint64_t records; /* so far: the number of the record that is open, or comes next */
    bool open;
};

bool divide_is_worth(const struct piles *piles, unsigned p, unsigned bits)
{
    const uint64_t records = piles->pile[p].records;

    return bits > 0 && piles->base == NULL && records >= RECORDS_MIN &&
           pile_bytes(piles, p) / records <= RECORD_BYTES_MAX &&
           (uint64_t)1 << bits <= pool_blocks_for(piles->pool, records * sizeof(uint64_t));
}

static void append(struct piles *children, unsigned child, const uint8_t *data, size_t bytes)
{
    uint8_t *to = pile_extend(children, child, bytes, COPY_STEP);

    if (to != NULL)
        copy_over(to, data, bytes);
    else
        pile_append(children, child, data, bytes);
}

/* A record that goes on in the next block goes on in the same child, as it has the same number there. */
static void divide_block(struct division *d, const uint8_t *data, size_t bytes)
{
    enum { ENDS = 2048 };
    uint32_t ends[ENDS + 1];
    uint16_t child[ENDS + 1];
    size_t from = 0;

    while (from < bytes) {
        size_t scanned;
        const size_t count = record_ends(d->format, &d->scan, data + from, bytes - from, ends, ENDS, &scanned);
        size_t start = 0;

        order_scatter(d->order, d->node, d->bits, d->records, count + 1, child);
        ends[count] = (uint32_t)scanned;
        for (size_t i = 0; i <= count; i++) {
            append(d->children, child[i], data + from + start, ends[i] - start);
            pile_count(d->children, child[i], i < count);
            start = ends[i];
        }
        d->records += count;
        d->open = count == 0 || ends[count - 1] != scanned;
        from += scanned;
    }
}

void divide(struct piles *piles, unsigned p, const struct record_format *format, const struct order *order,
            struct order_node node, unsigned bits, struct piles *children, uint32_t *promised)
{
    struct division d = {.format = format, .order = order, .node = node, .bits = bits, .children = children};
    const struct pool *pool = piles->pool;
    const struct pile *pile = &piles->pile[p];

    while (pile->blocks > 0) {
        const uint8_t *data = pool_block(pool, pile->first);

        divide_block(&d, data, pile->blocks > 1 ? pool->block_bytes : (size_t)(pile->at - data));
        pile_give_block(piles, p, true);
        ++*promised;
    }
    for (unsigned j = 0; j < 1u << bits; j++)
        *promised -= children->pile[j].blocks;
    pile_check(piles, p, d.open ? UINT64_MAX : d.records);
}
