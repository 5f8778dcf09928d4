// Files of the container, temporary ones, and devices.
#include "c.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return -1;
    const int wrong = fputs(text, file) < 0;
    return fclose(file) != 0 || wrong ? -1 : 0;
}

static int count_entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return folder != NULL ? count : -1;
}

int32_t use_container(const struct call *call)
{
    char folder[4096], draft[4096], final[4096];
    struct stat status;
    in_container(call, "Library/Levels", folder, sizeof folder);
    in_container(call, "tmp/draft", draft, sizeof draft);
    in_container(call, "Library/Levels/one", final, sizeof final);
    REQUIRE(call, mkdir(folder, 0755) == 0);
    REQUIRE(call, write_text(draft, "level one\n") == 0);
    REQUIRE(call, rename(draft, final) == 0);
    REQUIRE(call, stat(final, &status) == 0 && status.st_size == 10);
    REQUIRE(call, count_entries(folder) == 1);
    REQUIRE(call, truncate(final, 4) == 0);
    REQUIRE(call, stat(final, &status) == 0 && status.st_size == 4);
    REQUIRE(call, unlink(final) == 0 && rmdir(folder) == 0);
    return FOUND(call, "made, renamed, listed, removed");
}

/* 100,000 bytes, so that it takes more than one piece. */
int32_t send_file(const struct call *call)
{
    enum { SIZE = 100000 };
    static char wrote[SIZE], read_back[SIZE];
    char path[4096];
    off_t offset = 1;
    for (int i = 0; i < SIZE; i++)
        wrote[i] = (char)(i * 7);
    const int source = open(in_container(call, "tmp/a", path, sizeof path), O_CREAT | O_RDWR, 0600);
    REQUIRE(call, source >= 0 && unlink(path) == 0);
    const int target = open(in_container(call, "tmp/b", path, sizeof path), O_CREAT | O_RDWR, 0600);
    REQUIRE(call, target >= 0 && unlink(path) == 0);
    REQUIRE(call, write(source, wrote, SIZE) == SIZE && lseek(source, 0, SEEK_SET) == 0);
    REQUIRE(call, sendfile(target, source, NULL, 10) == 10 && lseek(source, 0, SEEK_CUR) == 10);
    REQUIRE(call, sendfile(target, source, NULL, SIZE) == SIZE - 10);
    REQUIRE(call, sendfile(target, source, NULL, SIZE) == 0);
    REQUIRE(call, pread(target, read_back, SIZE, 0) == SIZE);
    REQUIRE(call, memcmp(wrote, read_back, SIZE) == 0);
    REQUIRE(call, sendfile(target, source, &offset, 2) == 2 && offset == 3);
    REQUIRE(call, lseek(source, 0, SEEK_CUR) == SIZE);
    REQUIRE(call, sendfile(-1, source, &offset, 2) == -1 && errno == EBADF && offset == 3);
    REQUIRE(call, close(source) == 0 && close(target) == 0);
    return FOUND(call, "sendfile copied %d bytes", SIZE);
}

int32_t make_temporary(const struct call *call)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    REQUIRE(call, folder != NULL);
    snprintf(path, sizeof path, "%s/part-XXXXXX", folder);
    const int file = mkostemp(path, O_CLOEXEC);
    REQUIRE(call, file >= 0);
    REQUIRE(call, write(file, "x", 1) == 1 && ftruncate(file, 4096) == 0 && fsync(file) == 0);
    REQUIRE(call, close(file) == 0 && unlink(path) == 0);
    return FOUND(call, "a temporary file in TMPDIR");
}

/* tmpfile(3) knows only /tmp, which is not the plugin's where files are confined. */
int32_t try_tmpfile(const struct call *call)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return FOUND(call, "refused: %s", strerror(errno));
    REQUIRE(call, fputs("draft", file) >= 0 && fclose(file) == 0);
    return FOUND(call, "written to a temporary file");
}

int32_t use_dev_null(const struct call *call)
{
    char room[16];
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    REQUIRE(call, file >= 0);
    REQUIRE(call, write(file, "gone", 4) == 4 && read(file, room, sizeof room) == 0);
    close(file);
    return FOUND(call, "/dev/null takes and gives nothing");
}

int32_t draw_random(const struct call *call)
{
    unsigned char from_call[32] = {0}, from_file[32] = {0}, nothing[32] = {0};
    REQUIRE(call, getrandom(from_call, sizeof from_call, 0) == sizeof from_call);
    FILE *file = fopen("/dev/urandom", "re");
    REQUIRE(call, file != NULL);
    const size_t count = fread(from_file, 1, sizeof from_file, file);
    fclose(file);
    REQUIRE(call, count == sizeof from_file && memcmp(from_call, from_file, count) != 0);
    REQUIRE(call, memcmp(from_call, nothing, sizeof nothing) != 0);
    return FOUND(call, "getrandom and /dev/urandom");
}
