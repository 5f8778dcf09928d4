/* Sockets and pipes with the flags that matter already set. */
#pragma once

#include <stdint.h>

/* A connected pair of stream sockets, close-on-exec. socketpair(2). */
int bah_open_socket_pair(int pair[_Nonnull 2]);

/* A pipe, close-on-exec; [0] reads, [1] writes. pipe2(2). */
int bah_open_pipe(int pair[_Nonnull 2]);

/* A TCP socket listening on the loopback address, IPv4; port 0 lets the kernel choose. */
int bah_listen_loopback(uint16_t port, uint16_t *_Nonnull bound_port);

/* An eventfd(2) counter, non-blocking. */
int bah_open_event(void);
