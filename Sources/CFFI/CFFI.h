/* The one door to libffi. Only module PluginRuntime imports it. */
#pragma once
#if !__has_include(<ffi.h>)
#error "bahost needs the Debian package libffi-dev: run 'make setup'"
#endif
#include <ffi.h>

/* libffi's types are globals that may change, which Swift does not read: handed out here. */
static inline ffi_type *_Nonnull bah_ffi_pointer(void)
{
    return &ffi_type_pointer;
}

static inline ffi_type *_Nonnull bah_ffi_sint32(void)
{
    return &ffi_type_sint32;
}

static inline ffi_type *_Nonnull bah_ffi_uint32(void)
{
    return &ffi_type_uint32;
}

static inline ffi_type *_Nonnull bah_ffi_void(void)
{
    return &ffi_type_void;
}
