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

int bah_open_message_pair(int pair[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
}

enum { most_passed = 8 };

int bah_send_message(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count)
{
    char control[CMSG_SPACE(most_passed * sizeof(int))] __attribute__((aligned(8)));
    struct iovec part = { .iov_base = (void *)bytes, .iov_len = count };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (descriptor_count > most_passed) {
        return -EINVAL;
    }
    if (descriptor_count > 0) {
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0 ? 0 : -errno;
}

static size_t take_descriptors(struct msghdr *message, int *passed)
{
    size_t count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t more = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(passed + count, CMSG_DATA(header), more * sizeof(int));
        count += more;
    }
    return count;
}

long bah_receive_message(
    int socket, void *room, size_t size, int *descriptors, size_t most, size_t *descriptor_count)
{
    char control[CMSG_SPACE(most_passed * sizeof(int))] __attribute__((aligned(8)));
    int passed[most_passed];
    struct iovec part = { .iov_base = room, .iov_len = size };
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    *descriptor_count = 0;
    const ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (length < 0) {
        return -errno;
    }
    const size_t count = take_descriptors(&message, passed);
    const int is_whole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    if (!is_whole || count > most) {
        for (size_t i = 0; i < count; i++) {
            close(passed[i]);
        }
        return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : -EPROTO;
    }
    memcpy(descriptors, passed, count * sizeof(int));
    *descriptor_count = count;
    return length;
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
