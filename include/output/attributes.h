#ifndef BIGSHUF_OUTPUT_ATTRIBUTES_H
#define BIGSHUF_OUTPUT_ATTRIBUTES_H

/* Owner, group, mode and access control list, which a new file takes over from the one that it replaces. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Zeroed but for `mode`: a file that replaces none, and gets that mode. */
struct attributes {
    bool inherited; /* are they those of another file? */
    uid_t owner;
    gid_t group;
    mode_t mode;
    void *list; /* the access control list, of so many bytes; NULL if there is none */
    size_t list_bytes;
};

/* Those of the file `fd`, of which this is the status. 0, or -1 with errno. */
int attributes_read(struct attributes *attributes, int fd, const struct stat *status);

/* Give them to the file `fd`, as far as the user may and the file system can: it is never less private than the other
 * file was. What of it fails is worth a warning, which calls the file `path`. */
void attributes_give(const struct attributes *attributes, int fd, const char *path);

void attributes_release(struct attributes *attributes); /* also when zeroed */

#endif
