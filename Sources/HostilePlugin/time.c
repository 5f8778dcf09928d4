// Techniques that do not return.
#include "hostile.h"

#include <signal.h>
#include <unistd.h>

int32_t spin(const struct call *call)
{
    (void)call;
    for (volatile uint64_t turns = 0;; turns++)
        continue;
}

int32_t sleep_forever(const struct call *call)
{
    (void)call;
    for (;;)
        pause();
}

int32_t ignore_signals_and_spin(const struct call *call)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    return spin(call);
}

int32_t stop_self(const struct call *call)
{
    (void)call;
    for (;;) {
        raise(SIGSTOP);
        usleep(10000); // as the first process of its namespace it cannot be stopped
    }
}

int32_t hang_in_terminate(const struct call *call)
{
    in_terminate = HANGS;
    return sleep_forever(call);
}
