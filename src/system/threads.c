/* The caller works too, so a team of one starts no thread. Workers are started with signals blocked: the handler runs
 * in the main thread alone. */

#include "system/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "system/signals.h"
#include "system/sys.h"

/* No function of this program keeps more than a few dozen KiB of its own; sanitizers need about four times as much. */
static const size_t STACK_BYTES = (size_t)256 << 10;

struct member {
    void (*body)(void *context, unsigned worker);
    void *context;
    unsigned worker;
    pthread_t thread;
};

static void *run_worker(void *argument)
{
    const struct member *member = argument;

    member->body(member->context, member->worker);
    return NULL;
}

void threads_run(unsigned workers, void (*body)(void *context, unsigned worker), void *context)
{
    struct member *member = workers > 1 ? sys_allocate(workers, sizeof *member) : NULL;
    unsigned started = 1;
    sigset_t before;

    signals_block(&before);
    for (bool more = member != NULL; more && started < workers; started += more) {
        member[started] = (struct member){.body = body, .context = context, .worker = started};
        more = sys_thread(run_worker, &member[started], STACK_BYTES, &member[started].thread) == 0;
    }
    signals_release(&before);
    body(context, 0);
    while (started > 1)
        pthread_join(member[--started].thread, NULL);
    free(member);
}
