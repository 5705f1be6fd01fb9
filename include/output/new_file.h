#ifndef BIGSHUF_OUTPUT_NEW_FILE_H
#define BIGSHUF_OUTPUT_NEW_FILE_H

/*
 * A file in the making beside the one that it is to replace, or beside nothing. It is private until it is complete.
 *
 *     new_file_make --> new_file_inherit, or new_file_start --> new_file_complete --> new_file_keep
 *         --> new_file_publish --> new_file_release
 *
 * Where O_TMPFILE works, the file has no name until it is complete; elsewhere it has its temporary name from the
 * beginning: .NAME.XXXXXX, with six random letters. Until new_file_keep the end of the run, whatever ends it, unlinks
 * that name (signals.h), and so does new_file_release.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "output/target.h"

struct new_file {
    const struct target *target;
    int fd;     /* to be written to, and closed by the caller */
    char *path; /* of the temporary name; NULL: the file has not been made */
    int slot;   /* of the name in the list of those that are unlinked at the end; -1 if the file has no name */

    /* What the file gets when it is complete. */
    mode_t mode;
    bool inherits; /* and these as well, from the other file */
    uid_t owner;
    gid_t group;
    void *list; /* the access control list, of so many bytes; NULL if there is none */
    size_t list_bytes;
};

/* Make it in the target's directory, which has been entered. 0, or -1 with errno. Before it, `file` is zeroed. The
 * target must stay. */
int new_file_make(struct new_file *file, const struct target *target, int directory, mode_t mode);

/* It will have the owner, group, mode and access control list of the file that it replaces, which is open as
 * `old`. */
void new_file_inherit(struct new_file *file, int old, const struct stat *status);

/* It replaces none, and was made with the mode 0666: it will have what the umask and the directory made of that. */
void new_file_start(struct new_file *file);

/* All has been written: give the file its attributes, as far as the user may and the file system can, and its temporary
 * name. It is never less private than the other file was. What fails of the attributes is worth a warning. */
void new_file_complete(struct new_file *file);

/* From now on nobody unlinks the file: it keeps its temporary name until it is published. */
void new_file_keep(struct new_file *file);

/* Give the file the name of the target, instead of what has that name. -1 with errno if that cannot be. */
int new_file_publish(const struct new_file *file);

void new_file_release(struct new_file *file); /* also when zeroed */

#endif
