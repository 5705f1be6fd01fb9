/*
 * The yardstick of work in memory: `hold <IN >OUT` reads everything into one buffer, then writes it. No program that
 * must see its whole input before it can write the first byte does less.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FIRST = (size_t)1 << 20; /* bytes of the buffer for a pipe, doubled when full */
static const size_t PIECE = (size_t)1 << 30; /* most systems take no more at a time */

/* Returns the data, of *bytes bytes, or NULL. */
static char *read_everything(size_t *bytes)
{
    struct stat status;
    size_t room = FIRST;
    size_t filled = 0;
    char *data;

    /* One byte more than there should be, so that the end is seen without growing. */
    if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) && (uintmax_t)status.st_size < SIZE_MAX / 2)
        room = (size_t)status.st_size + 1;
    data = malloc(room);
    while (data != NULL) {
        size_t left = room - filled;
        ssize_t got = read(STDIN_FILENO, data + filled, left < PIECE ? left : PIECE);

        if (got == 0)
            break;
        if (got < 0) {
            free(data);
            return NULL;
        }
        filled += (size_t)got;
        if (filled == room) {
            char *moved = realloc(data, room *= 2);

            if (moved == NULL)
                free(data);
            data = moved;
        }
    }
    *bytes = filled;
    return data;
}

int main(void)
{
    size_t bytes = 0;
    size_t done = 0;
    char *data = read_everything(&bytes);

    while (data != NULL && done < bytes) {
        ssize_t written = write(STDOUT_FILENO, data + done, bytes - done < PIECE ? bytes - done : PIECE);

        if (written < 0)
            break;
        done += (size_t)written;
    }
    if (data == NULL || done < bytes) {
        perror("hold");
        return 1;
    }
    free(data);
    return 0;
}
