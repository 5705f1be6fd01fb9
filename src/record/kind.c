#include "record/kind.h"

#include <string.h>

#define ADDRESS(row) &(row),

static const struct record_kind *const rows[] = {RECORD_KINDS(ADDRESS)};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct record_kind *const *kind_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

const struct record_kind *kind_find(const char *name, size_t bytes)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i]->name) == bytes && memcmp(rows[i]->name, name, bytes) == 0)
            return rows[i];
    return NULL;
}
