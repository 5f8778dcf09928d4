// Techniques against the descriptors that the worker has open.
#include "hostile.h"

#include <fcntl.h>
#include <unistd.h>

enum { DESCRIPTORS = 64 };

int32_t garbage_on_all_descriptors(const struct call *call)
{
    (void)call;
    unsigned char garbage[4096];
    uint32_t state = 2463534242u; // xorshift: the same bytes in every run
    for (size_t i = 0; i < sizeof garbage; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        garbage[i] = (unsigned char)state;
    }
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++)
        if (write(descriptor, garbage, sizeof garbage) < 0)
            continue;
    return 0;
}

int32_t close_all_descriptors(const struct call *call)
{
    (void)call;
    for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++)
        close(descriptor);
    return 0;
}

int32_t stdout_noise(const struct call *call)
{
    (void)call;
    for (int line = 0; line < 2000; line++) {
        printf("stdout line %d {\"result\":\"ok\"}\n", line);
        fprintf(stderr, "stderr line %d \033[31mred\033[0m \x01\xff\n", line);
    }
    printf("a last line without an end");
    fflush(stdout);
    return 0;
}

int32_t read_stdin(const struct call *call)
{
    char bytes[256];
    ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0)
        say(call, "stdin: %m");
    else
        say(call, "stdin: %zd bytes", count);
    return 0;
}
