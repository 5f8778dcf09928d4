#define _GNU_SOURCE
#include "bah_capability.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int bah_drop_bounding_set(void)
{
    /* Numbers past the kernel's last one are EINVAL: that is the end. */
    for (unsigned long number = 0; number < 64; number++) {
        if (prctl(PR_CAPBSET_DROP, number, 0UL, 0UL, 0UL) != 0) {
            return errno == EINVAL && number > 0 ? 0 : -errno;
        }
    }
    return 0;
}

int bah_keep_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0) {
        return -errno;
    }
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        data[i].inheritable = data[i].permitted;
    }
    if (syscall(SYS_capset, &header, data) != 0) {
        return -errno;
    }
    for (unsigned long number = 0; number < 64; number++) {
        const uint32_t held = data[number / 32].permitted & (UINT32_C(1) << (number % 32));
        if (held && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0UL, 0UL) != 0) {
            return -errno;
        }
    }
    return 0;
}

int bah_drop_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL) != 0 && errno != EINVAL) {
        return -errno;
    }
    return syscall(SYS_capset, &header, none) == 0 ? 0 : -errno;
}

int bah_has_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    memset(data, 0, sizeof data);
    if (syscall(SYS_capget, &header, data) != 0) {
        return -errno;
    }
    unsigned any = 0;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        any |= data[i].effective | data[i].permitted;
    }
    return any != 0;
}

int bah_become_identity(uint32_t identity)
{
    if (setgroups(0, NULL) != 0 || setresgid(identity, identity, identity) != 0
        || setresuid(identity, identity, identity) != 0) {
        return -errno;
    }
    return 0;
}

uint32_t bah_effective_user(void)
{
    return geteuid();
}

uint32_t bah_effective_group(void)
{
    return getegid();
}
