#include "system/progress_line.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "system/sys.h"

static atomic_bool drawn; /* a line is to be erased */
static atomic_bool ended;

/* A terminal may stop who writes to it from the background. */
void progress_line_say(const char *text, size_t bytes)
{
    sigset_t stop, before;

    if (!sys_is_writable(STDERR_FILENO))
        return;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    (void)!sys_write(STDERR_FILENO, text, bytes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_line_draw(const char *line, size_t bytes)
{
    atomic_store(&drawn, true);
    if (!atomic_load(&ended))
        progress_line_say(line, bytes);
}

void progress_line_erase(void)
{
    if (atomic_exchange(&drawn, false) && !sys_is_in_background(STDERR_FILENO))
        progress_line_say(PROGRESS_LINE_ERASE, strlen(PROGRESS_LINE_ERASE));
}

bool progress_line_is_drawn(void)
{
    return atomic_load(&drawn);
}

void progress_line_end(void)
{
    atomic_store(&ended, true);
    progress_line_erase();
}
