// Libraries that are loaded only when they are needed.
#include "c.h"

#include <dlfcn.h>
#include <unistd.h>

int32_t load_library(const struct call *call)
{
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(call, library != NULL);
    // SAFETY: cosine's type is that of the C standard.
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    REQUIRE(call, cosine != NULL && cosine(0) == 1);
    REQUIRE(call, dlopen("libno-such-library.so.1", RTLD_NOW) == NULL && dlerror() != NULL);
    return FOUND(call, "libm loaded, a missing one told");
}

int32_t checksum_with_zlib(const struct call *call)
{
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(call, library != NULL);
    unsigned long (*crc)(unsigned long, const char *, unsigned) =
        (unsigned long (*)(unsigned long, const char *, unsigned))dlsym(library, "crc32");
    REQUIRE(call, crc != NULL && crc(0, "123456789", 9) == 0xcbf43926);
    return FOUND(call, "crc32 cbf43926");
}

int32_t digest_with_openssl(const struct call *call)
{
    static const unsigned char expected[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea};
    unsigned char digest[32];
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(call, library != NULL);
    unsigned char *(*sha256)(const char *, size_t, unsigned char *) =
        (unsigned char *(*)(const char *, size_t, unsigned char *))dlsym(library, "SHA256");
    REQUIRE(call, sha256 != NULL && sha256("abc", 3, digest) == digest);
    REQUIRE(call, memcmp(digest, expected, sizeof expected) == 0);
    return FOUND(call, "SHA-256 ba7816bf");
}

/* Libraries opened while running are paid from the limit, code and all: this one does not fit. */
int32_t open_large_library(const struct call *call)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    const char *message = dlerror();
    REQUIRE(call, library == NULL && message != NULL);
    return FOUND(call, "refused: %s", message);
}

/* ---- SQLite ---- */

struct sqlite {
    int (*open)(const char *path, void **database, int flags, const char *vfs);
    int (*exec)(void *database, const char *text, void *row, void *context, char **error);
    int (*close)(void *database);
};

/* 0 when the library and its functions are there. */
static int find_sqlite(struct sqlite *sqlite)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return -1;
    *(void **)&sqlite->open = dlsym(library, "sqlite3_open_v2");
    *(void **)&sqlite->exec = dlsym(library, "sqlite3_exec");
    *(void **)&sqlite->close = dlsym(library, "sqlite3_close");
    return sqlite->open != NULL && sqlite->exec != NULL && sqlite->close != NULL ? 0 : -1;
}

static int take_sum(void *context, int count, char **values, char **names)
{
    (void)count, (void)names;
    *(long *)context = atol(values[0]);
    return 0;
}

/* A table of a thousand rows. Returns SQLite's first error, 0 for none. */
static int use_database(const char *path, const char *vfs, long *sum)
{
    enum { READ_WRITE_CREATE = 2 | 4 };
    static const char rows[] =
        "CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, s TEXT); BEGIN;"
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000)"
        "INSERT INTO t SELECT n, hex(n) FROM r; COMMIT;";
    struct sqlite sqlite;
    void *database = NULL;
    if (find_sqlite(&sqlite) != 0)
        return -1;
    int status = sqlite.open(path, &database, READ_WRITE_CREATE, vfs);
    if (status == 0)
        status = sqlite.exec(database, rows, NULL, NULL, NULL);
    if (status == 0)
        status = sqlite.exec(database, "SELECT sum(n) FROM t", (void *)take_sum, sum, NULL);
    sqlite.close(database);
    return status;
}

int32_t database_in_memory(const struct call *call)
{
    long sum = 0;
    REQUIRE(call, use_database(":memory:", NULL, &sum) == 0);
    REQUIRE(call, sum == 500500);
    return FOUND(call, "in memory: %ld", sum);
}

static int32_t database_in_file(const struct call *call, const char *vfs)
{
    char path[4096];
    long sum = 0;
    in_container(call, "Library/levels.sqlite", path, sizeof path);
    REQUIRE(call, use_database(path, vfs, &sum) == 0);
    REQUIRE(call, sum == 500500);
    return FOUND(call, "in a file, %s: %ld", vfs, sum);
}

int32_t database_without_locks(const struct call *call)
{
    return database_in_file(call, "unix-none");
}

int32_t database_with_dotfile(const struct call *call)
{
    return database_in_file(call, "unix-dotfile");
}

/* Record locks are refused, and SQLite says so: an error, not a damaged file. */
int32_t database_with_locks(const struct call *call)
{
    char path[4096];
    long sum = 0;
    in_container(call, "Library/locked.sqlite", path, sizeof path);
    const int status = use_database(path, "unix", &sum);
    REQUIRE(call, status != 0 && status != -1 && sum == 0);
    return FOUND(call, "refused with SQLite's %d", status & 0xff);
}
