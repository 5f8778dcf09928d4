import Foundation
import Glibc
import TestSupport

/// What a hostile plugin does to its container, again and again, while other downloads go on.
enum Attack: String, Sendable, CaseIterable {
    /// Links to a file outside take the places of published files, and of those to come.
    case files

    /// A link to a folder outside takes the place of the folder that published files lie in.
    case folders

    /// Other names are made of published files, and of its own in the places of those to come.
    case links

    /// Published files go back and forth between two folders.
    case renames

    /// Its own files get the mark of a published one, and published ones lose theirs.
    case marks

    /// What was to be removed as done with is a link or a folder by then.
    case finish

    /// As many files as it can make.
    case many

    /// A plugin in C that does it.
    ///
    /// What begins with `p` is fetched in peace; from the first download that begins with `q` on it
    /// attacks, until others have come meanwhile.
    ///
    /// - Parameters:
    ///   - fixture: Where it is built.
    ///   - outside: The canary's folder, for links to lead to.
    /// - Returns: Its path.
    /// - Throws: What the system said.
    func plugin(in fixture: RunFixture, outside: String) throws -> String {
        let place = Attack.allCases.firstIndex(of: self) ?? 0
        return try fixture.compile(
            "siege", Attack.text,
            [
                "-O2", "-DATTACK=\(place)", "-DOUTSIDE=\"\(outside)\"", "-Wall", "-Werror",
                "-fvisibility=hidden", "-Wl,-z,now", "-Wl,-z,noexecstack",
            ])
    }

    private static let text = """
        #define _GNU_SOURCE
        #include <bahost/bahost.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <sys/xattr.h>
        #include <time.h>
        #include <unistd.h>
        BAHOST_PLUGIN("Siege", "1.0");
        enum { FILES, FOLDERS, LINKS, RENAMES, MARKS, FINISH, MANY };
        enum { OLD = 13, NEW = 12 };
        static int tries, successes;

        /* A path in the container; four can be used at a time. */
        static const char *in(const char *format, int number)
        {
            static char paths[4][4200];
            static int next;
            char name[64], *path = paths[next++ % 4];
            snprintf(name, sizeof name, format, number);
            snprintf(path, sizeof paths[0], "%s/%s", getenv("HOME"), name);
            return path;
        }

        static void count(int result)
        {
            tries++;
            successes += result == 0;
        }

        static void swap_files(void)
        {
            for (int i = 0; i < OLD; i++) {
                if (rename(in("Downloads/p%02d", i), in("Library/away-%02d", i)) != 0)
                    continue;
                count(symlink(OUTSIDE "/secret", in("Downloads/p%02d", i)));
                unlink(in("Downloads/p%02d", i));
                rename(in("Library/away-%02d", i), in("Downloads/p%02d", i));
            }
            for (int i = 0; i < NEW; i++) {
                count(symlink(i % 2 ? OUTSIDE "/secret" : OUTSIDE "/new", in("tmp/link-%02d", i)));
                struct stat there;
                if (lstat(in("Downloads/q%02d", i), &there) != 0)
                    rename(in("tmp/link-%02d", i), in("Downloads/q%02d", i));
            }
        }

        static void swap_folders(void)
        {
            symlink(OUTSIDE "/folder", in("Library/trap", 0));
            count(rename(in("Library/sub", 0), in("Library/sub-away", 0)));
            count(rename(in("Library/trap", 0), in("Library/sub", 0)));
            count(rename(in("Library/sub", 0), in("Library/trap", 0)));
            count(rename(in("Library/sub-away", 0), in("Library/sub", 0)));
        }

        static void make_links(void)
        {
            for (int i = 0; i < OLD; i++)
                count(link(in("Downloads/p%02d", i), in("Library/second-%02d", i)));
            for (int i = 0; i < NEW; i++)
                count(link(in("Library/own", 0), in("Downloads/q%02d", i)));
            count(link(OUTSIDE "/secret", in("Library/secret", 0)));
        }

        static void rename_files(void)
        {
            for (int i = 0; i < OLD; i++)
                count(rename(in("Downloads/p%02d", i), in("Library/p%02d", i)));
            for (int i = 0; i < OLD; i++)
                count(rename(in("Library/p%02d", i), in("Downloads/p%02d", i)));
        }

        static void make_marks(void)
        {
            static const char mark[] = "00000000-0000-4000-8000-000000000000";
            const char *name = "user.bahost.download";
            int own = open(in("Library/own", 0), O_RDWR | O_CLOEXEC);
            count(setxattr(in("Library/own", 0), name, mark, sizeof mark, 0));
            count(fsetxattr(own, name, mark, sizeof mark, 0));
            close(own);
            for (int i = 0; i < OLD; i++) {
                count(removexattr(in("Downloads/p%02d", i), name));
                count(lsetxattr(in("Downloads/p%02d", i), name, mark, sizeof mark, 0));
            }
        }

        static void make_many(void)
        {
            for (int i = 0; i < 100000; i++) {
                int file = open(in("Library/many-%06d", i), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
                count(file < 0);
                close(file);
            }
        }

        static int arrived(void)
        {
            int found = 0;
            for (int i = 0; i < NEW; i++) {
                struct stat there;
                found += lstat(in("Downloads/q%02d", i), &there) == 0 && S_ISREG(there.st_mode);
            }
            return found;
        }

        static double now(void)
        {
            struct timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec + time.tv_nsec / 1e9;
        }

        /* How many of the old ones are left. */
        static int left(void)
        {
            static const char *const places[] = {
                "Downloads/p%02d", "Library/p%02d", "Library/sub/p%02d",
            };
            int found = 0;
            struct stat there;
            for (int i = 0; i < OLD; i++)
                for (int place = 0; place < 3; place++)
                    found += lstat(in(places[place], i), &there) == 0 && S_ISREG(there.st_mode);
            return found;
        }

        static void attack(const bahost_host *host)
        {
            static void (*const attacks[])(void) = {
                swap_files, swap_folders, make_links, rename_files, make_marks, NULL, make_many,
            };
            int came = -arrived(), went = left();
            for (double begin = now(); now() < begin + 8;) {
                attacks[ATTACK]();
                if (arrived() == NEW || (came + arrived() >= 5 && left() < went))
                    break;
            }
            came += arrived();
            went -= left();
            bahost_log_format(host, BAHOST_LOG_INFO, "siege: %s of %s succeeded, %s came, %s went",
                              successes > 0 ? "some" : "none", tries > 0 ? "some" : "none",
                              came > 0 ? "some" : "none", went > 0 ? "some" : "none");
        }

        /* In the place of what the host is to remove, since the plugin is done with it. */
        static void replace(const char *path, int number)
        {
            if (number % 4 == 0) {
                unlink(path);
                count(symlink(OUTSIDE "/secret", path));
            } else if (number % 4 == 1) {
                unlink(path);
                count(symlink(OUTSIDE "/folder", path));
            } else if (number % 4 == 2) {
                unlink(path);
                count(mkdir(path, 0700));
                symlink(OUTSIDE "/folder", in("Downloads/q%02d/folder", number));
            } else {
                count(rename(in("Library/own", 0), path));
                FILE *own = fopen(in("Library/own", 0), "we");
                fputs("own", own);
                fclose(own);
            }
        }

        int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
        {
            FILE *manifest = fopen(request->manifest_path, "re");
            char name[256], digits[65], url[1024];
            unsigned long long size;
            while (fscanf(manifest, "%255s %llu %64s %1023s", name, &size, digits, url) == 4) {
                bahost_download_request wish;
                uint8_t digest[32];
                bahost_request_init(&wish, name, url, size);
                bahost_sha256_from_hex(digest, digits);
                wish.sha256 = digest;
                host->schedule(host, &wish);
            }
            fclose(manifest);
            mkdir(in("Library/sub", 0), 0700);
            symlink(OUTSIDE "/folder", in("tmp/folder", 0));
            symlink(OUTSIDE "/secret", in("tmp/secret", 0));
            FILE *own = fopen(in("Library/own", 0), "we");
            fputs("own", own);
            return fclose(own);
        }

        int32_t bahost_download_finished(const bahost_host *host, const bahost_download *download,
                                         const char *path)
        {
            static int has_attacked;
            int number = atoi(download->identifier + 1);
            if (download->identifier[0] == 'p') {
                if (ATTACK == FOLDERS)
                    count(rename(path, in("Library/sub/p%02d", number)));
                return BAHOST_FINISHED_KEEP;
            }
            if (ATTACK == FINISH) {
                replace(path, number);
                return BAHOST_FINISHED_DONE;
            }
            if (!has_attacked++)
                attack(host);
            return BAHOST_FINISHED_KEEP;
        }
        """
}

/// A file and a folder outside the container, open to all: what nobody may touch.
struct Canary {
    let path: String
    private let before: [String: Trace]
    private static let bytes = Data("nobody touches this\n".utf8)

    /// All that a touch would change, the time of the last reading too.
    private struct Trace: Equatable {
        let numbers: [UInt64]

        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            let times = [status.st_atim, status.st_mtim, status.st_ctim]
            numbers =
                [
                    UInt64(status.st_ino), UInt64(status.st_mode), UInt64(status.st_uid),
                    UInt64(status.st_gid), UInt64(status.st_nlink), UInt64(status.st_size),
                ] + times.flatMap { [UInt64($0.tv_sec), UInt64($0.tv_nsec)] }
        }
    }

    /// Lays it out; in its folder are files with the names of published ones.
    init(in scratch: ScratchFolder) throws {
        path = "\(scratch.path)/outside"
        let files = FileManager.default
        try files.createDirectory(atPath: "\(path)/folder", withIntermediateDirectories: true)
        let names = ["secret"] + (0..<13).map { String(format: "folder/p%02d", $0) }
        for name in names {
            try scratch.write("outside/\(name)", Canary.bytes)
            unsafe chmod("\(path)/\(name)", 0o666)
        }
        for name in ["", "/folder"] { unsafe chmod("\(path)\(name)", 0o777) }
        before = Canary.traces(["", "folder"] + names, in: path)
    }

    private static func traces(_ names: [String], in path: String) -> [String: Trace] {
        var traces: [String: Trace] = [:]
        for name in names { traces[name] = Trace("\(path)/\(name)") }
        return traces
    }

    /// Whether everything is as it was and nothing has come, and what is not.
    var changes: [String] {
        let now = Canary.traces(Array(before.keys), in: path)
        var found = before.keys.filter { before[$0] != now[$0] }
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        found += names.filter { before[$0] == nil }
        found += before.keys.filter {
            $0 != "" && $0 != "folder"
                && FileManager.default.contents(atPath: "\(path)/\($0)") != Canary.bytes
        }
        return found.sorted()
    }
}
