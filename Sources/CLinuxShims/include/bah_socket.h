/* Sockets and pipes with the flags that matter already set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A connected pair of stream sockets, close-on-exec. socketpair(2). */
int bah_open_socket_pair(int pair[_Nonnull 2]);

/* A pipe, close-on-exec; [0] reads, [1] writes. pipe2(2). */
int bah_open_pipe(int pair[_Nonnull 2]);

/* A TCP socket listening on the loopback address, IPv4; port 0 lets the kernel choose. */
int bah_listen_loopback(uint16_t port, uint16_t *_Nonnull bound_port);

/* An eventfd(2) counter, non-blocking. */
int bah_open_event(void);

/* A connected pair of sockets that keep the bounds of messages, close-on-exec. unix(7). */
int bah_open_message_pair(int pair[_Nonnull 2]);

/* Sends one message with descriptors, which stay the caller's. Never SIGPIPE. sendmsg(2). */
int bah_send_message(
    int socket, const void *_Nonnull bytes, size_t count, const int *_Nonnull descriptors,
    size_t descriptor_count);

/*
 * Takes one message: its length, 0 at the end of the connection, or a negated errno; EMSGSIZE when
 * it did not fit, EPROTO when it had more than `most` descriptors. `descriptor_count` of them are
 * the caller's now, close-on-exec; none after an error. recvmsg(2).
 */
long bah_receive_message(
    int socket, void *_Nonnull room, size_t size, int *_Nonnull descriptors, size_t most,
    size_t *_Nonnull descriptor_count);
