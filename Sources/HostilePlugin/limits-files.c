// Techniques that open, make and write exactly as much as they are told.
#include "hostile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 8 << 20, SAMPLE_MS = 500 };

/* Stays while the host looks. */
static int32_t stay(const struct call *call, long number, const char *what)
{
    usleep(SAMPLE_MS * 1000);
    allowed(call, "%ld %s", number, what);
    return 0;
}

/* Until the table of descriptors is so long. */
int32_t open_files(const struct call *call)
{
    const long wanted = number_argument(call, 0);
    for (int last = -1; last < wanted - 1;)
        if ((last = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
            return attempt(call, -1, "open");
    allowed(call, "%ld descriptors", wanted);
    return 0;
}

/* ---- One file ---- */

int32_t file_bytes(const struct call *call)
{
    const long bytes = number_argument(call, 0);
    const int file = create_file(call, 0);
    if (file < 0)
        return attempt(call, -1, "open");
    return attempt(call, write_bytes(file, bytes), "write of %ld bytes", bytes);
}

int32_t file_bytes_truncate(const struct call *call)
{
    const long bytes = number_argument(call, 0);
    const int file = create_file(call, 0);
    if (file < 0)
        return attempt(call, -1, "open");
    return attempt(call, ftruncate(file, bytes), "ftruncate to %ld bytes", bytes);
}

int32_t file_bytes_allocate(const struct call *call)
{
    const long bytes = number_argument(call, 0);
    const int file = create_file(call, 0);
    if (file < 0)
        return attempt(call, -1, "open");
    return attempt(call, fallocate(file, 0, 0, bytes), "fallocate of %ld bytes", bytes);
}

/* ---- Many files ---- */

/* Each file is within the limit for one. */
int32_t written_bytes(const struct call *call)
{
    const long wanted = number_argument(call, 0);
    long number = 0;
    for (long left = wanted; left > 0; left -= FILE_MOST) {
        const int file = create_file(call, number++);
        if (file < 0)
            return attempt(call, -1, "open");
        if (write_bytes(file, left < FILE_MOST ? left : FILE_MOST) != 0)
            return attempt(call, -1, "write");
        close(file);
    }
    return stay(call, wanted, "bytes written");
}

int32_t new_files(const struct call *call)
{
    const long wanted = number_argument(call, 0);
    for (long number = 0; number < wanted; number++) {
        const int file = create_file(call, number);
        if (file < 0)
            return attempt(call, -1, "open after %ld files", number);
        close(file);
    }
    return stay(call, wanted, "new files");
}

/* ---- Out of sight ---- */

/* What is open already can be written when its folder can only be listed, and so can what the
   worker's tmp/ holds. Who looks from outside must see it all the same, and must empty it. */
int32_t hidden_bytes(const struct call *call)
{
    enum { FILES = 16 };
    const long wanted = number_argument(call, 0);
    const int outer = open(in_container(call, "tmp"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (outer < 0 || mkdirat(outer, "hostile-hidden", 0700) != 0)
        return attempt(call, -1, "mkdir");
    const int inner = openat(outer, "hostile-hidden", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int files[FILES];
    for (int i = 0; i < FILES; i++) {
        const char name[] = {'a' + (char)i, '\0'};
        files[i] = openat(inner, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    attempt(call, fchmod(inner, 0400), "fchmod of a folder");
    attempt(call, fchmod(outer, 0400), "fchmod of tmp");
    for (int i = 0; i < FILES; i++) {
        const long last = i == FILES - 1 ? wanted % FILES : 0;
        if (write_bytes(files[i], wanted / FILES + last) != 0)
            return attempt(call, -1, "write");
    }
    return stay(call, wanted, "bytes written out of sight");
}
