/* The one door to libseccomp. Only module Sandbox imports it. */
#pragma once
#if !__has_include(<seccomp.h>)
#error "bahost needs the Debian package libseccomp-dev: run 'make setup'"
#endif
#include <seccomp.h>
#include <stdint.h>

/* SCMP_ACT_ERRNO and SCMP_ACT_TRAP, which importers cannot read. seccomp_rule_add(3). */
static inline uint32_t bah_seccomp_errno_action(uint16_t code)
{
    return SCMP_ACT_ERRNO(code);
}

static inline uint32_t bah_seccomp_trap_action(void)
{
    return SCMP_ACT_TRAP;
}

static inline uint32_t bah_seccomp_allow_action(void)
{
    return SCMP_ACT_ALLOW;
}

static inline uint32_t bah_seccomp_kill_action(void)
{
    return SCMP_ACT_KILL_PROCESS;
}

/* The architecture this was compiled for. */
static inline uint32_t bah_seccomp_native_architecture(void)
{
    return SCMP_ARCH_NATIVE;
}
