#include "command/options.h"

#include <stdlib.h>

#include "shuffle/order.h"
#include "system/sys.h"

int options_init(struct options *options, size_t words)
{
    *options = (struct options){.format.delimiter = '\n',
                                .count = UINT64_MAX,
                                .pile_last = UINT64_MAX,
                                .leaf_records = ORDER_LEAF_RECORDS,
                                .expected_records = UINT64_MAX};
    options->files = sys_allocate(words, sizeof *options->files);
    options->temporary = sys_allocate(words, sizeof *options->temporary);
    options->split = sys_allocate(words, sizeof *options->split);
    return options->files != NULL && options->temporary != NULL && options->split != NULL ? 0 : -1;
}

void options_release(struct options *options)
{
    free(options->files);
    free(options->temporary);
    free(options->split);
    *options = (struct options){.files = NULL};
}
