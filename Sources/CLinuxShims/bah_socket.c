#define _GNU_SOURCE
#include "bah_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int bah_open_socket_pair(int pair[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
}

int bah_open_pipe(int pair[2])
{
    return pipe2(pair, O_CLOEXEC) == 0 ? 0 : -errno;
}

static int bind_loopback(int listener, uint16_t port, uint16_t *bound_port)
{
    const int on = 1;
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0
        || bind(listener, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(listener, 128) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        return -errno;
    }
    *bound_port = ntohs(address.sin_port);
    return 0;
}

int bah_listen_loopback(uint16_t port, uint16_t *bound_port)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) {
        return -errno;
    }
    const int status = bind_loopback(listener, port, bound_port);
    if (status != 0) {
        close(listener);
        return status;
    }
    return listener;
}

int bah_open_event(void)
{
    const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}
