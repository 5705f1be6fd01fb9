#pragma once

/* What this process may use of the machine. Nothing here fails: what cannot be found out sets no limit. */

#include <stdbool.h>
#include <stdint.h>

/* The least that bigshuf works with. */
#define HARDWARE_MEMORY_MIN ((uint64_t)8 << 20)

/* Bytes of memory that this process and the files that it reads and writes may still take, the least of
 *  - the memory available now (Linux: MemAvailable),
 *  - what the control groups (versions 1 and 2, every level up to the root) leave below their limits,
 * page cache counted as free, since it gives way. */
uint64_t hardware_free_memory(void);

/* Bytes of memory to use when the user names none: half of the lesser of hardware_free_memory and the addresses left
 * (RLIMIT_AS, RLIMIT_DATA), less 1/512 for page tables. At least HARDWARE_MEMORY_MIN. */
uint64_t hardware_memory(void);

/* Bytes of memory that this process could ever take, for "-S 50%": the machine's, or the control groups' limit if that
 * is less; 0: unknown. */
uint64_t hardware_whole_memory(void);

/* Processors this process may run on: by affinity and by the control groups' quota (rounded up), at least 1. */
unsigned hardware_processors(void);

/* A number that this machine keeps until it is booted again (Linux: made of boot_id); 0: unknown. */
uint32_t hardware_boot(void);

/* The peak resident memory of this process so far, in bytes (VmHWM or ru_maxrss). */
uint64_t hardware_peak_memory(void);

/* Is it one of the users that the user namespace of this process knows? All others look like one of them: "nobody". */
bool hardware_is_known_user(uint32_t user);
