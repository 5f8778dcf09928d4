// Techniques that speak to the host past the interface: bytes of their own on the sockets and pipes
// that the worker has. A frame is a header of 16 bytes, little-endian, and a payload.
#include "hostile.h"

#include <unistd.h>

enum { PROTOCOL = 3, EVIDENCE = 5 };
enum { HOST_CALL = 105, RETURNED = 106, NO_KIND = 999 };
enum { PAYLOAD_MOST = 1 << 20 };

struct header {
    uint32_t magic;
    uint16_t version, kind;
    uint32_t length, sequence;
};
_Static_assert(sizeof(struct header) == 16, "what a frame begins with");

static struct header make_header(uint16_t kind, uint32_t length)
{
    return (struct header){0x57484142, 1, kind, length, 0};
}

/* Returns 0, or -1 and errno. */
static int put(int descriptor, const void *bytes, size_t size)
{
    const char *next = bytes;
    for (ssize_t count; size > 0; next += count, size -= (size_t)count)
        if ((count = write(descriptor, next, size)) < 0)
            return -1;
    return 0;
}

/* At most 16 bytes of payload; in one piece, because others write there too. */
static int put_frame(uint16_t kind, uint32_t sequence, const void *payload, uint32_t length)
{
    struct {
        struct header header;
        char payload[16];
    } frame = {.header = make_header(kind, length)};
    frame.header.sequence = sequence;
    memcpy(frame.payload, payload, length);
    return put(PROTOCOL, &frame, sizeof frame.header + length);
}

/* It says it is one byte too long. */
int32_t giant_frame(const struct call *call)
{
    const struct header header = make_header(HOST_CALL, PAYLOAD_MOST + 1);
    return attempt(call, put(PROTOCOL, &header, sizeof header), "a frame too long");
}

/* The rest never comes. Says nothing: its words would come in its place. */
int32_t partial_frame(const struct call *call)
{
    const struct header header = make_header(HOST_CALL, 64);
    put(PROTOCOL, &header, sizeof header / 2);
    return sleep_forever(call);
}

int32_t unknown_frame(const struct call *call)
{
    return attempt(call, put_frame(NO_KIND, 0, "", 0), "a frame of no kind");
}

/* What the worker itself would send after the return: status 0, nothing held, called. */
int32_t early_reply(const struct call *call)
{
    const unsigned char reply[13] = {[12] = 1};
    return attempt(call, put_frame(RETURNED, 0, reply, sizeof reply), "a reply of its own");
}

/* And then does not return. */
int32_t early_reply_and_stay(const struct call *call)
{
    early_reply(call);
    return sleep_forever(call);
}

/* Log lines of no length: level 1, text of 0 bytes. */
int32_t frame_flood(const struct call *call)
{
    enum { FRAMES = 200000 };
    const unsigned char line[9] = {1, 1};
    int status = 0;
    for (int i = 0; i < FRAMES && status == 0; i++)
        status = put_frame(HOST_CALL, 0, line, sizeof line);
    return attempt(call, status, "%d frames", FRAMES);
}

/* Asks what is left, for ever, and never reads an answer. */
int32_t unread_replies(const struct call *call)
{
    enum { FRAMES = 200000 };
    const unsigned char question[5] = {7, BAHOST_REMAINING_CALL_MS};
    int status = 0;
    for (uint32_t i = 1; i <= FRAMES && status == 0; i++)
        status = put_frame(HOST_CALL, 0x80000000u + i, question, sizeof question);
    return attempt(call, status, "%d calls", FRAMES);
}

/* ---- Pipes ---- */

static int32_t flood(const struct call *call, int descriptor, size_t bytes, const char *text)
{
    const size_t size = strlen(text);
    int status = 0;
    for (size_t sent = 0; sent < bytes && status == 0; sent += size)
        status = put(descriptor, text, size);
    return attempt(call, status, "%zu bytes", bytes);
}

int32_t evidence_garbage(const struct call *call)
{
    return flood(call, EVIDENCE, 1 << 20, "BEVD no record \x01\xff\xfe");
}

int32_t stdout_flood(const struct call *call)
{
    return flood(call, STDOUT_FILENO, 2 << 20, "a line that is no news \033[31m\n");
}

int32_t stderr_flood(const struct call *call)
{
    return flood(call, STDERR_FILENO, 2 << 20, "a line that is no news \033[31m\n");
}
