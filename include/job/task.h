#ifndef BIGSHUF_JOB_TASK_H
#define BIGSHUF_JOB_TASK_H

/* What the options mean: pure functions of them. */

#include <stdbool.h>

#include "command/options.h"
#include "input/generated.h"
#include "input/source.h"
#include "output/output.h"
#include "record/record.h"

/* Records as they are within the program. */
struct record_format task_format(const struct options *options);

struct source_layout task_layout(const struct options *options);
struct number_range task_range(const struct options *options);

/* `place` is for what has to wait on its way to the output. The number of filters is 0 if it is not given. */
struct output_plan task_output(const struct options *options, struct spill_place *place);

/* Will nothing be written, so that no input need be opened? */
bool task_is_empty(const struct options *options);

/* Are records only put into the order of the seed? */
bool task_is_plain(const struct options *options);

/* Are they drawn from a range, so that numbers that are not drawn need not be there? */
bool task_is_drawn(const struct options *options);

/* The least that the output can have, in bytes, if the inputs have at least `known_bytes`. */
uint64_t task_output_bytes(const struct options *options, uint64_t known_bytes);

/* Does the output never end? */
bool task_is_endless(const struct options *options);

/* The bytes of temporary files that are sure to be needed if at least `known_bytes` bytes of records come and there are
 * `memory_bytes` of memory, by what the manual promises of each kind of sample; 0 if that is not known. `rereads` as in
 * struct run. */
uint64_t task_spilled_bytes(const struct options *options, uint64_t known_bytes, uint64_t memory_bytes, bool rereads);

#endif
