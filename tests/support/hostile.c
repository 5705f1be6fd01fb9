/* What a hostile build does besides the program's work (hostile.h). Its own calls are the true ones. */

#define _GNU_SOURCE
#undef madvise

#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "system/pool.h"

/* What stands in memory that was given back, and in memory that nobody has written yet. */
enum { GIVEN_BACK = 0xdd, NOT_WRITTEN = 0xcc };

/* ---- Sizes ---- */

/* Scrambles a number (S. Vigna, "splitmix64", 2015). */
static uint64_t scramble(uint64_t number)
{
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

/* A word that depends on the seed and on a name. */
static uint64_t word_of(const char *seed, const char *name)
{
    uint64_t word = scramble(strtoull(seed, NULL, 10));

    while (*name != '\0')
        word = scramble(word ^ (uint8_t)*name++);
    return word;
}

/* The usual size; or any, rather one that has few digits more than the least. A seed says how many sizes are not the
 * usual ones: all, half of them, or few. */
static int draw(const char *seed, const char *name, int value, int least, int most)
{
    static const unsigned unusual[] = {256, 128, 32};
    const uint64_t range = (uint64_t)((int64_t)most - least + 1);
    uint64_t word = word_of(seed, name);
    unsigned digits = 0;

    if ((word & 255) >= unusual[word_of(seed, "") % 3])
        return value;
    while (digits < 31 && (uint64_t)1 << digits < range)
        digits++;
    word = scramble(word);
    digits = (unsigned)(word >> 8) % ((unsigned)(word >> 40) % (digits + 1) + 1);
    word = scramble(word) & (((uint64_t)1 << digits) - 1);
    return least + (int)(word < range ? word : range - 1);
}

/* What a list says of a name. */
static bool look_up(const char *list, const char *name, int *value)
{
    const size_t length = strlen(name);

    for (const char *at = list; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            *value = atoi(at + length + 1);
            return true;
        }
    }
    return false;
}

int hostile_size(const char *file, const char *name, int value, int least, int most)
{
    const char *seed = getenv("BIGSHUF_HOSTILE"), *sizes = getenv("BIGSHUF_SIZES");
    const char *from = strchr(file, '/') != NULL ? strchr(file, '/') + 1 : file;
    char whole[256];

    snprintf(whole, sizeof whole, "%.*s:%s", (int)strcspn(from, "."), from, name);
    if (!look_up(sizes, whole, &value) && seed != NULL)
        value = draw(seed, whole, value, least, most);
    if (value > most)
        value = most;
    if (value < least)
        value = least;
    if (sizes != NULL && strcmp(sizes, "?") == 0)
        fprintf(stderr, "%s=%d\n", whole, value);
    return value;
}

/* ---- What is given back ---- */

void real_pool_put(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks);
void real_pool_put_promised(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks);
uint32_t real_pool_get(struct pool *pool);
uint32_t real_pool_get_promised(struct pool *pool);
uint32_t real_pool_get_neighbours(struct pool *pool, uint32_t blocks);

static uint32_t overwrite(const struct pool *pool, uint32_t first, uint32_t blocks, int pattern)
{
    uint32_t block = first;

    for (; block != POOL_NONE && blocks > 0; block = pool->next[block], blocks--)
        memset(pool_block(pool, block), pattern, pool->block_bytes);
    return first;
}

void pool_put(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks)
{
    real_pool_put(pool, overwrite(pool, first, blocks, GIVEN_BACK), last, blocks);
}

void pool_put_promised(struct pool *pool, uint32_t first, uint32_t last, uint32_t blocks)
{
    real_pool_put_promised(pool, overwrite(pool, first, blocks, GIVEN_BACK), last, blocks);
}

uint32_t pool_get(struct pool *pool)
{
    return overwrite(pool, real_pool_get(pool), 1, NOT_WRITTEN);
}

uint32_t pool_get_promised(struct pool *pool)
{
    return overwrite(pool, real_pool_get_promised(pool), 1, NOT_WRITTEN);
}

uint32_t pool_get_neighbours(struct pool *pool, uint32_t blocks)
{
    return overwrite(pool, real_pool_get_neighbours(pool, blocks), blocks, NOT_WRITTEN);
}

/* Done before main. */
__attribute__((constructor)) static void overwrite_freed(void)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, GIVEN_BACK);
#endif
}

/* Pages of a file come back when they are looked at. Others have their contents no more. */
int hostile_madvise(void *memory, size_t bytes, int advice);

int hostile_madvise(void *memory, size_t bytes, int advice)
{
    const uintptr_t first = (uintptr_t)memory, last = first + bytes;
    const int result = madvise(memory, bytes, advice);
    FILE *maps = bytes > 0 && advice == MADV_DONTNEED ? fopen("/proc/self/maps", "re") : NULL;
    uintptr_t from, to;
    unsigned long file;
    char line[8192];

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu", &from, &to, &file) != 3 || file != 0)
            continue;
        from = from > first ? from : first;
        to = to < last ? to : last;
        if (from < to)
            memset((void *)from, GIVEN_BACK, to - from);
    }
    if (maps != NULL)
        fclose(maps);
    return result;
}
