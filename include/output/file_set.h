#ifndef BIGSHUF_OUTPUT_FILE_SET_H
#define BIGSHUF_OUTPUT_FILE_SET_H

/* Files that are known by numbers (target_number, file_mark.h), so that one of them is found by any of its names. The
 * caller numbers them as well, from 0 on. */

#include <stddef.h>
#include <stdint.h>

/* Zeroed: none. A file takes about 32 bytes. */
struct file_set {
    struct file_set_slot *slot;
    size_t slots; /* a power of two, or 0 */
    size_t count;
};

#define FILE_SET_NONE SIZE_MAX

/* Add a file, unless it is there already. Returns the number that the set has for it then. The file 0 is never there:
 * it stands for what is no regular file. */
size_t file_set_add(struct file_set *set, uint64_t file, size_t number);

/* The number that was given with the file, or FILE_SET_NONE. */
size_t file_set_find(const struct file_set *set, uint64_t file);

void file_set_release(struct file_set *set); /* also when zeroed */

#endif
