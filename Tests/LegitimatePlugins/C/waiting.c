// Waiting for things, and what a plugin has to do without.
#include "c.h"

#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int32_t run_event_loop(const struct call *call)
{
    const struct itimerspec soon = {{0, 0}, {0, 5000000}};
    const int loop = epoll_create1(EPOLL_CLOEXEC);
    const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    REQUIRE(call, loop >= 0 && event >= 0 && timer >= 0);
    struct epoll_event on_event = {.events = EPOLLIN, .data.fd = event};
    struct epoll_event on_timer = {.events = EPOLLIN, .data.fd = timer};
    REQUIRE(call, epoll_ctl(loop, EPOLL_CTL_ADD, event, &on_event) == 0);
    REQUIRE(call, epoll_ctl(loop, EPOLL_CTL_ADD, timer, &on_timer) == 0);
    REQUIRE(call, timerfd_settime(timer, 0, &soon, NULL) == 0);
    REQUIRE(call, eventfd_write(event, 3) == 0);
    int seen = 0;
    for (int round = 0; round < 2; round++) {
        struct epoll_event ready;
        uint64_t value = 0;
        REQUIRE(call, epoll_wait(loop, &ready, 1, 5000) == 1);
        REQUIRE(call, read(ready.data.fd, &value, sizeof value) == sizeof value);
        seen |= ready.data.fd == event && value == 3 ? 1 : 0;
        seen |= ready.data.fd == timer && value == 1 ? 2 : 0;
    }
    REQUIRE(call, seen == 3);
    close(timer), close(event), close(loop);
    return FOUND(call, "epoll told of eventfd and timerfd");
}

static volatile sig_atomic_t was_told;

static void be_told(int number)
{
    was_told = number;
}

int32_t raise_own_signal(const struct call *call)
{
    struct sigaction action = {.sa_handler = be_told};
    REQUIRE(call, sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(call, raise(SIGUSR1) == 0);
    REQUIRE(call, was_told == SIGUSR1);
    return FOUND(call, "the handler ran");
}

int32_t try_pipe(const struct call *call)
{
    int end[2];
    REQUIRE(call, pipe(end) == -1 && errno == EPERM);
    return FOUND(call, "refused: %s", strerror(EPERM));
}

int32_t try_timer(const struct call *call)
{
    timer_t timer;
    struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    REQUIRE(call, timer_create(CLOCK_MONOTONIC, &nothing, &timer) == -1 && errno == ENOSYS);
    return FOUND(call, "refused: %s", strerror(ENOSYS));
}

int32_t resolve_number(const struct call *call)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    REQUIRE(call, getaddrinfo("192.0.2.7", "443", &hints, &found) == 0);
    const int family = found->ai_family;
    freeaddrinfo(found);
    REQUIRE(call, family == AF_INET);
    return FOUND(call, "192.0.2.7 is an address");
}

/* There is no network: a name is an error, and neither a crash nor a wait. */
int32_t resolve_name(const struct call *call)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int status = getaddrinfo("example.com", "443", &hints, &found);
    REQUIRE(call, status != 0 && found == NULL);
    return FOUND(call, "refused: %s", gai_strerror(status));
}
