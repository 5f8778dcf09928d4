"""What is measured, against whom, and what is to be reached."""

from dataclasses import dataclass

BWRAP, FIREJAIL, FLOOR, EXTISM = "bwrap", "firejail", "floor", "extism"
WARM, SWIFT, COLD, PACKS, COLD_PACKS = "warm", "swift", "cold", "packs", "cold-packs"
RUN_GIB, CURL_GIB = "run-1GiB", "curl-1GiB"
CURL_SUM_GIB, CURL_OPENSSL_GIB = "curl-sum-1GiB", "curl-openssl-1GiB"

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
DOWNLOADS = {
    RUN_GIB: "`bahost run`: 1 GiB, SHA-256 checked, synced to the disk",
    CURL_SUM_GIB: "`curl` of the same, then `sha256sum`",
    CURL_OPENSSL_GIB: "`curl` of the same, then `openssl dgst -sha256`",
    CURL_GIB: "`curl` alone",
}


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
DOWNLOAD_RATIOS = [
    Ratio(RUN_GIB, CURL_SUM_GIB), Ratio(RUN_GIB, CURL_OPENSSL_GIB), Ratio(RUN_GIB, CURL_GIB)]

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
}

NOT_THERE_YET = [
    "1 GiB with SHA-256 on a memory file system, and against aria2c",
    "5,000 files of 16 KiB, durable and verified, against `curl -Z` and aria2c",
    "1,000,000 queued downloads: memory, next pick, start",
    "the idle daemon", "`contents(at:)` against `open` and `read`",
    "building a pack against `zck`; bytes of an update against `zckdl`, casync, zsync",
]
