// Techniques that ask the kernel for what plugins have no use for: keys, programs in the kernel,
// memory files, queues, system calls of other kinds. What they get goes with the worker.
#include "hostile.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fanotify.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret -1
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1 // Linux 5.11, include/uapi/linux/userfaultfd.h
#endif

/* ---- Keys ---- */

int32_t keyctl_once(const struct call *call)
{
    return unheard(
        call, syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0), ENOSYS,
        "keyctl");
}

int32_t add_key_once(const struct call *call)
{
    const int ring = KEY_SPEC_PROCESS_KEYRING;
    const long key = syscall(SYS_add_key, "user", "bahost-hostile", "x", 1, ring);
    return unheard(call, key, ENOSYS, "add_key");
}

int32_t request_key_once(const struct call *call)
{
    return unheard(
        call, syscall(SYS_request_key, "user", "bahost-hostile", NULL, 0), ENOSYS, "request_key");
}

/* ---- Programs and events ---- */

int32_t bpf_once(const struct call *call)
{
    union bpf_attr attribute = {.map_type = BPF_MAP_TYPE_ARRAY};
    attribute.key_size = attribute.value_size = 4;
    attribute.max_entries = 1;
    return unheard(
        call, syscall(SYS_bpf, BPF_MAP_CREATE, &attribute, sizeof attribute), ENOSYS, "bpf");
}

int32_t perf_once(const struct call *call)
{
    struct perf_event_attr attribute = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attribute};
    attribute.config = PERF_COUNT_SW_TASK_CLOCK;
    attribute.exclude_kernel = 1;
    return unheard(
        call, syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0), ENOSYS, "perf_event_open");
}

int32_t userfaultfd_once(const struct call *call)
{
    return unheard(
        call, syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY), ENOSYS, "userfaultfd");
}

int32_t io_uring_once(const struct call *call)
{
    struct io_uring_params parameters = {0};
    return unheard(call, syscall(SYS_io_uring_setup, 1, &parameters), ENOSYS, "io_uring_setup");
}

/* ---- Memory files ---- */

int32_t memfd_once(const struct call *call)
{
    return unheard(call, memfd_create("bahost-hostile", MFD_CLOEXEC), EPERM, "memfd_create");
}

int32_t memfd_secret_once(const struct call *call)
{
    return unheard(call, syscall(SYS_memfd_secret, O_CLOEXEC), EPERM, "memfd_secret");
}

int32_t shm_open_once(const struct call *call)
{
    const int file = shm_open("/bahost-hostile", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0)
        shm_unlink("/bahost-hostile");
    return forbidden(call, file, "shm_open");
}

/* ---- Watching files ---- */

int32_t fanotify_once(const struct call *call)
{
    return unheard(
        call, syscall(SYS_fanotify_init, FAN_CLOEXEC, O_RDONLY), ENOSYS, "fanotify_init");
}

int32_t inotify_once(const struct call *call)
{
    return unheard(call, inotify_init1(IN_CLOEXEC), ENOSYS, "inotify_init");
}

/* ---- System calls of other kinds ---- */

/* One that no kernel has, and those that are newer than any list of them: a kernel that has them
   finds fault with such arguments. The worker seals by mseal(2), which takes nothing away. */
int32_t unknown_call(const struct call *call)
{
    enum { FIRST = 454, LAST = 511, MSEAL = 462 };
    for (long number = FIRST; number <= LAST; number++) {
        const long result = syscall(number, -1, -1, -1, -1, -1, -1);
        if (number != MSEAL && (result >= 0 || errno != ENOSYS))
            return unheard(call, result, ENOSYS, "system call %ld", number);
    }
    return unheard(call, syscall(100000), ENOSYS, "system call 100000");
}

#ifdef __x86_64__

/* getpid by the number that the x32 interface has for it. */
int32_t x32_call(const struct call *call)
{
    enum { X32_BIT = 0x40000000 };
    return forbidden(call, syscall(X32_BIT | SYS_getpid), "system call of x32");
}

/* getpid as a program of 32 bits asks for it. */
int32_t ia32_call(const struct call *call)
{
    long result = 20;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    errno = result < 0 ? (int)-result : 0;
    return forbidden(call, result, "system call of ia32");
}

#else

int32_t x32_call(const struct call *call)
{
    return not_here(call, "system call of x32");
}

int32_t ia32_call(const struct call *call)
{
    return not_here(call, "system call of ia32");
}

#endif
