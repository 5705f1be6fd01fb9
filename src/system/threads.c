/* The caller works too, so a team of one starts no thread. Workers are started with signals blocked: the handler runs
 * in the main thread alone. */

#include "system/threads.h"

#include <pthread.h>
#include <stdlib.h>

#include "system/signals.h"
#include "system/sys.h"

/* No function of this program keeps more than a few dozen KiB of its own; sanitizers need about four times as much. */
static const size_t STACK_BYTES = (size_t)256 << 10;

struct member {
    pthread_t thread;
    void (*body)(void *context, unsigned worker);
    void *context;
    unsigned worker;
};

static void *start(void *argument)
{
    struct member *member = argument;

    member->body(member->context, member->worker);
    return NULL;
}

void threads_run(unsigned workers, void (*body)(void *context, unsigned worker), void *context)
{
    struct member *member = NULL;
    unsigned started = 1;
    sigset_t before;

    if (workers > 1)
        member = sys_allocate(workers, sizeof *member);
    if (member != NULL) {
        signals_block(&before);
        for (; started < workers; started++) {
            member[started] = (struct member){.body = body, .context = context, .worker = started};
            if (sys_thread(start, &member[started], STACK_BYTES, &member[started].thread) != 0)
                break;
        }
        signals_restore(&before);
    }
    body(context, 0);
    while (started > 1)
        pthread_join(member[--started].thread, NULL);
    free(member);
}
