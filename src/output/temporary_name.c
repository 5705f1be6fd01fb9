/* A name is made known to the signal handler in one step with its file: between them, and while the file is unlinked,
 * death is held off. */

#include "output/temporary_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/fault.h"
#include "system/io.h"
#include "system/signals.h"
#include "system/sys.h"

enum {
    NAME_PART_BYTES = 128, /* of the target's name in this one; encrypted names may have 143 bytes, others 255 */
    RANDOM_LETTERS = 6,
    ATTEMPTS = 100, /* to find a name that is free: 62^6 of them make a second attempt rare */
};

int temporary_name_init(struct temporary_name *name, const struct target *target)
{
    const size_t room = strlen(target->directory) + strlen(target->name) + sizeof "/..0123456789";

    name->slot = -1;
    name->path = sys_allocate(room, 1);
    if (name->path == NULL)
        return -1;
    snprintf(name->path, room, "%s/.%.*s.%0*d", target->directory, NAME_PART_BYTES, target->name, RANDOM_LETTERS, 0);
    return 0;
}

bool temporary_name_is_taken(const struct temporary_name *name)
{
    return name->path != NULL && name->slot >= 0;
}

const char *temporary_name_last(const struct temporary_name *name)
{
    return strrchr(name->path, '/') + 1;
}

/* Put fresh random letters at the end. */
static int draw_letters(struct temporary_name *name)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char *end = name->path + strlen(name->path);
    uint8_t bytes[RANDOM_LETTERS];

    if (sys_random(bytes, sizeof bytes) != 0)
        return -1;
    for (int i = 0; i < RANDOM_LETTERS; i++)
        end[i - RANDOM_LETTERS] = letters[bytes[i] % (sizeof letters - 1)];
    return 0;
}

/* With the letters that it has now. EEXIST if that name is taken. */
static int take_once(struct temporary_name *name, int directory, mode_t mode, int *fd)
{
    bool taken = false;
    sigset_t before;

    signals_hold(&before);
    name->slot = signals_register(name->path);
    if (name->slot >= 0 && *fd >= 0) {
        taken = sys_link_descriptor(*fd, directory, temporary_name_last(name)) == 0;
    } else if (name->slot >= 0) {
        *fd = io_open_at(directory, temporary_name_last(name), O_WRONLY | O_CREAT | O_EXCL, mode);
        taken = *fd >= 0;
    }
    if (!taken)
        temporary_name_forget(name);
    signals_release(&before);
    return taken ? 0 : -1;
}

int temporary_name_take(struct temporary_name *name, int directory, mode_t mode, int *fd)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (draw_letters(name) != 0)
            return -1;
        if (take_once(name, directory, mode, fd) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

void temporary_name_forget(struct temporary_name *name)
{
    signals_forget(name->slot);
    name->slot = -1;
}

/* By its path, as the signal handler does. Should that lead elsewhere by now, there is nothing of that name. */
static void unlink_name(struct temporary_name *name)
{
    char cause[FAULT_CAUSE_BYTES];
    sigset_t before;
    int error;

    signals_hold(&before);
    error = sys_unlink(name->path) == 0 ? 0 : errno;
    temporary_name_forget(name);
    signals_release(&before);
    if (error != 0 && error != ENOENT && error != ENOTDIR)
        fault_warn("%s: cannot be removed: %s", name->path, fault_cause(error, cause));
}

void temporary_name_release(struct temporary_name *name)
{
    if (temporary_name_is_taken(name))
        unlink_name(name);
    free(name->path);
    name->path = NULL;
}
