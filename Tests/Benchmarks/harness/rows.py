"""What is measured, against whom, and what is to be reached."""

from dataclasses import dataclass

BWRAP, FIREJAIL, FLOOR, EXTISM = "bwrap", "firejail", "floor", "extism"
WARM, SWIFT, COLD, PACKS, COLD_PACKS = "warm", "swift", "cold", "packs", "cold-packs"
GIB, MANY = "1 GiB", "5,000 × 16 KiB"
RUN_GIB, CURL_GIB, ARIA2C_GIB, WGET2_GIB = "run-1GiB", "curl-1GiB", "aria2c-1GiB", "wget2-1GiB"
CURL_SUM_GIB, CURL_OPENSSL_GIB = "curl-sum-1GiB", "curl-openssl-1GiB"
RUN_MANY, CURL_MANY, ARIA2C_MANY, WGET2_MANY = (
    "run-5000", "curl-5000", "aria2c-5000", "wget2-5000")

BIG_BYTES = 1 << 30
MANY_COUNT, MANY_BYTES = 5_000, 16 << 10
QUEUE_COUNTS = [10_000, 100_000, 1_000_000]
QUEUE_APPS = 20
PACK_COUNT = 10_000

# In the order in which a turn measures them.
ROWS = {
    BWRAP: "`bwrap --unshare-all --ro-bind / / true`",
    WARM: "warm run, minimal C plugin",
    FLOOR: "floor: a C program with the same layers",
    SWIFT: "warm run, Swift + Foundation plugin",
    PACKS: f"warm run, C plugin, asked about {PACK_COUNT:,} packs",
    COLD: "cold `bahost run`, minimal C plugin",
    COLD_PACKS: f"cold `bahost run`, asked about {PACK_COUNT:,} packs of a manifest",
    FIREJAIL: "`firejail --noprofile --net=none --caps.drop=all --seccomp true`",
    EXTISM: "Extism, minimal WebAssembly plugin, compiled before",
}
# What is fetched, and by whom.
DOWNLOADS = {
    GIB: {
        RUN_GIB: "`bahost run`: SHA-256 checked, synced to the disk",
        CURL_SUM_GIB: "`curl`, then `sha256sum`",
        CURL_OPENSSL_GIB: "`curl`, then `openssl dgst -sha256`",
        CURL_GIB: "`curl`",
        ARIA2C_GIB: "`aria2c --checksum`",
        WGET2_GIB: "`wget2`",
    },
    MANY: {
        RUN_MANY: "`bahost run`: SHA-256 checked, synced to the disk",
        CURL_MANY: "`curl --parallel`",
        ARIA2C_MANY: "`aria2c`, checksums in its list, 16 at a time",
        WGET2_MANY: "`wget2`",
    },
}
DOWNLOAD_PROGRAMS = {
    ARIA2C_GIB: "aria2c", WGET2_GIB: "wget2", ARIA2C_MANY: "aria2c", WGET2_MANY: "wget2"}


@dataclass(frozen=True)
class Ratio:
    """A row's time divided by a peer's; `most` is the goal, None is only shown."""

    row: str
    peer: str
    most: float | None = None


RATIOS = [
    Ratio(WARM, BWRAP, 0.25), Ratio(WARM, FLOOR, 2.0), Ratio(COLD, BWRAP, 3.0),
    Ratio(SWIFT, WARM, 4.0), Ratio(FLOOR, BWRAP), Ratio(WARM, FIREJAIL), Ratio(COLD, FIREJAIL),
    Ratio(WARM, EXTISM),
]
# Twice the speed of a peer is half of its time.
DOWNLOAD_RATIOS = [
    Ratio(RUN_GIB, CURL_SUM_GIB, 0.6), Ratio(RUN_GIB, CURL_GIB, 1.15),
    Ratio(RUN_GIB, ARIA2C_GIB, 0.5), Ratio(RUN_GIB, CURL_OPENSSL_GIB), Ratio(RUN_GIB, WGET2_GIB),
    Ratio(RUN_MANY, CURL_MANY, 1.5), Ratio(RUN_MANY, ARIA2C_MANY, 0.25),
    Ratio(RUN_MANY, WGET2_MANY),
]

# What is measured of a queue: words and digits after the point.
QUEUE_VALUES = {
    "memoryMiB": ("memory of the process, MiB", 1),
    "startSeconds": ("start after a clean end, s", 4),
    "pickMilliseconds": ("next pick, 99 of 100, ms", 4),
    "meanPickMilliseconds": ("next pick, mean, ms", 4),
}
# Of the longest queue.
QUEUE_GOALS = {"memoryMiB": 64, "startSeconds": 1, "pickMilliseconds": 1}
# What may grow from the shortest to the longest queue, and only as the logarithm of the count.
QUEUE_GROWTH = ["memoryMiB", "startSeconds", "meanPickMilliseconds"]

# Microseconds for each pack, from the first call to the last answer.
PACK_GOAL = 10.0

NOT_DONE = {
    BWRAP: "no seccomp filter, no Landlock, no limits, no identity of its own, no plugin, no"
    " verdict: namespaces and an empty program",
    FIREJAIL: "no Landlock, no memory limit, no plugin, no verdict; its filter is a list of what is"
    " forbidden; set-user-ID root",
    FLOOR: "no look at the file before it is loaded, no verdict, no budgets, no host calls, no"
    " sampling, no measuring of memory",
    EXTISM: "no native code: only what was compiled to WebAssembly, without threads, files or a C"
    " library; no process of its own, so a fault of the runtime is a fault of the host; memory and"
    " time are the runtime's to bound, not the kernel's",
    WARM: "as a peer of the Swift plugin: no Swift runtime, and a plugin that does nothing, while"
    " the Swift one fills a list of downloads with Foundation",
    CURL_SUM_GIB: "no plugin and no judging of the address, nothing kept for going on later, not"
    " synced, the name is there before the sum is checked",
    CURL_OPENSSL_GIB: "the same",
    CURL_GIB: "the same, and no sum",
    ARIA2C_GIB: "no plugin and no judging of the address, not synced; it keeps a control file for"
    " going on later",
    WGET2_GIB: "no plugin and no judging of the address, no sum, not synced, nothing kept for going"
    " on later",
    CURL_MANY: "50 connections, ours has 4; no sums, not synced, no list of what is wanted that a"
    " crash survives",
    ARIA2C_MANY: "16 connections; not synced, the list of what is wanted is saved only on demand",
    WGET2_MANY: "5 connections; no sums, not synced, no list of what is wanted that a crash"
    " survives",
}

NOT_THERE_YET = [
    "the idle daemon", "`contents(at:)` against `open` and `read`",
    "building a pack against `zck`; bytes of an update against `zckdl`, casync, zsync",
]
