#ifndef BIGSHUF_JOB_SUMMARY_H
#define BIGSHUF_JOB_SUMMARY_H

/* What --verbose prints at the end of a job: lines on standard error. `start` is when the work began, by
 * sys_milliseconds.
 */

#include <stddef.h>
#include <stdint.h>

#include "job/resources.h"
#include "shuffle/run.h"

/* Of a job that wrote records. */
void summary_of_records(const struct resources *resources, const struct run_progress *progress, uint64_t start);

/* Of a job that added a batch of this name to a store. */
void summary_of_batch(const struct resources *resources, const struct run_progress *progress, const char *name,
                      uint64_t start);

/* Of a job that wrote records of a store: `bytes` in all, of so many batches. */
void summary_of_store(const struct resources *resources, const struct run_progress *progress, uint64_t bytes,
                      size_t batches, uint64_t start);

#endif
