/*
 * Temporary files and output may share a disk, but their bytes need not be added up. Every byte of the input is in one
 * place only, in memory, in a temporary file or in the output: pass 1 writes no output, and pass 2 frees the space of a
 * pile in a temporary file before it writes the pile. Let D be the bytes of the input, and T those that pass 1 moved to
 * temporary files. While pass 2 writes the piles that were in memory, files grow from T to D at most, and stay there to
 * the end. So the peak is the larger one of T and D, each of which is compared with the free space.
 */

#include "job/room.h"

#include "base/arithmetic.h"
#include "input/generated.h"
#include "job/task.h"
#include "system/sys.h"

static bool is_endless(const struct options *options)
{
    return options->repeat && options->count == UINT64_MAX;
}

/* The least bytes of the records of -r, none of which is shorter than `shortest`. */
static uint64_t repeated_bytes(const struct options *options, uint64_t shortest)
{
    return options->count <= UINT64_MAX / shortest ? options->count * shortest : UINT64_MAX;
}

/* The smallest numbers of a range are the shortest. */
static uint64_t range_bytes(const struct options *options)
{
    struct number_range range = options->numbers;
    uint8_t text[GENERATED_NUMBER_BYTES];

    if (options->repeat)
        return repeated_bytes(options, generated_number(&range, 0, text));
    if (range.full ? options->count < UINT64_MAX : options->count < range.count) {
        range.count = options->count;
        range.full = false;
    }
    return generated_range_bytes(&range);
}

uint64_t room_output_bytes(const struct options *options, uint64_t known_bytes)
{
    if (is_endless(options) || task_is_weighted(options) || options->probability != NULL || options->parts > 0 ||
        options->skip > 0 || options->unique)
        return 0;
    if (options->range)
        return options->numbers.full || options->numbers.count > 0 ? range_bytes(options) : 0;
    if (options->repeat && known_bytes > 0)
        return repeated_bytes(options, record_is(&options->format, RECORD_FIXED) ? options->format.count : 1);
    return options->repeat || options->count < UINT64_MAX ? 0 : known_bytes;
}

/* S bytes of memory keep at least 3/4 S of D bytes of input, or all if D is at most S: so the manual promises for
 * records up to S/8. Unknown are the bytes stored for a sample without replacement, for --part, for --skip, and for
 * --unique. */
uint64_t room_temporary_bytes(const struct options *options, uint64_t known_bytes, uint64_t memory_bytes, bool rereads)
{
    const bool part = (options->parts > 0 || options->skip > 0) && options->expected_records < UINT64_MAX;

    if (options->probability != NULL || part || options->unique ||
        (options->repeat ? rereads : options->count < UINT64_MAX))
        return 0;
    return known_bytes <= memory_bytes ? 0 : known_bytes - memory_bytes / 4 * 3;
}

/* How many numbers of a range are written, at least; UINT64_MAX: unknown, or records are not numbers. */
static uint64_t numbers(const struct options *options)
{
    const uint64_t count = options->numbers.full ? UINT64_MAX : options->numbers.count;

    if (!options->range || options->repeat || options->probability != NULL || options->parts > 0)
        return UINT64_MAX;
    return least(count, options->count);
}

void room_check_output(const struct options *options, uint64_t known_bytes, const struct output *output)
{
    output_check_room(output, numbers(options), room_output_bytes(options, known_bytes));
}

void room_check_end(const struct options *options)
{
    struct stat status;

    if (!is_endless(options) || options->plan.path == NULL)
        return;
    if (sys_stat(options->plan.path, &status) != 0 || S_ISREG(status.st_mode))
        die("%s: -r would never end; add -n COUNT", fault_name(options->plan.path));
}
