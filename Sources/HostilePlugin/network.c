// Techniques that reach for the network, or for other processes by sockets. What they get a socket
// for, they go on with: on loopback addresses only.
#include "hostile.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PORT = 9 };

/* ---- Every family ---- */

static int32_t try_socket(const struct call *call, int family, int type, const char *name)
{
    const int descriptor = socket(family, type | SOCK_CLOEXEC, 0);
    const int32_t status = unheard(call, descriptor, EPERM, "socket(%s)", name);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

int32_t socket_once(const struct call *call)
{
    int32_t status = try_socket(call, AF_INET, SOCK_STREAM, "AF_INET, SOCK_STREAM");
    status |= try_socket(call, AF_INET6, SOCK_STREAM, "AF_INET6, SOCK_STREAM");
    status |= try_socket(call, AF_UNIX, SOCK_STREAM, "AF_UNIX, SOCK_STREAM");
    status |= try_socket(call, AF_NETLINK, SOCK_RAW, "AF_NETLINK, SOCK_RAW");
    status |= try_socket(call, AF_VSOCK, SOCK_STREAM, "AF_VSOCK, SOCK_STREAM");
    status |= try_socket(call, AF_ALG, SOCK_SEQPACKET, "AF_ALG, SOCK_SEQPACKET");
    return status;
}

/* ---- One family, with an address ---- */

/* A socket, then to connect and to bind it. Without a socket descriptor 3 is tried, the host's. */
static int32_t reach(const struct call *call, int family, int type, const void *address,
                     socklen_t size)
{
    int descriptor = socket(family, type | SOCK_CLOEXEC, 0);
    int32_t status = forbidden(call, descriptor, "socket");
    if (descriptor < 0)
        descriptor = 3;
    status |= forbidden(call, connect(descriptor, address, size), "connect");
    status |= forbidden(call, bind(descriptor, address, size), "bind");
    return status;
}

static int32_t reach_loopback(const struct call *call, int type)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    six.sin6_addr = in6addr_loopback;
    int32_t status = reach(call, AF_INET, type, &four, sizeof four);
    status |= reach(call, AF_INET6, type, &six, sizeof six);
    return status;
}

int32_t tcp(const struct call *call)
{
    return reach_loopback(call, SOCK_STREAM);
}

int32_t udp(const struct call *call)
{
    return reach_loopback(call, SOCK_DGRAM);
}

int32_t raw_socket(const struct call *call)
{
    int32_t status = try_socket(call, AF_INET, SOCK_RAW, "AF_INET, SOCK_RAW");
    status |= try_socket(call, AF_PACKET, SOCK_RAW, "AF_PACKET, SOCK_RAW");
    return status;
}

int32_t unix_path(const struct call *call)
{
    static const char *const paths[] = {"/run/dbus/system_bus_socket", "/run/systemd/notify"};
    int32_t status = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, paths[i], sizeof address.sun_path - 1);
        status |= reach(call, AF_UNIX, SOCK_STREAM, &address, sizeof address);
    }
    return status;
}

int32_t unix_abstract(const struct call *call)
{
    static const char name[] = "\0bahost-hostile";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, name, sizeof name - 1);
    const size_t size = offsetof(struct sockaddr_un, sun_path) + sizeof name - 1;
    return reach(call, AF_UNIX, SOCK_DGRAM, &address, (socklen_t)size);
}

int32_t netlink_once(const struct call *call)
{
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    return reach(call, AF_NETLINK, SOCK_RAW, &address, sizeof address);
}

int32_t socketpair_once(const struct call *call)
{
    int ends[2];
    const int made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    return unheard(call, made, EPERM, "socketpair");
}
