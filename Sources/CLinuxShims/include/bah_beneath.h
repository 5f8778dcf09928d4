/*
 * Opening what lies below a folder that somebody hostile can write to: openat2(2), or one name
 * after the other. Paths are relative, of names other than "." and ".." (the path "." alone is the
 * folder itself), which the caller has seen to.
 */
#pragma once

/*
 * 1 when the kernel resolves whole paths below `folder`, 0 when it has no openat2(2) or a filter
 * keeps it from us, else a negated errno.
 */
int bah_can_resolve_beneath(int folder);

/*
 * Opens `path` below `folder` with O_CLOEXEC added, never O_CREAT: no link in it, no magic link, no
 * other mount; the last name may be a link for O_PATH without O_DIRECTORY, and is opened itself.
 * -ELOOP for a link, -EXDEV for another mount. A rename meanwhile is retried.
 * RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_XDEV; Linux 5.6.
 */
int bah_resolve_beneath(int folder, const char *_Nonnull path, int flags);

/* The same with openat(2) alone, name by name, each folder looked at once it is open. */
int bah_walk_beneath(int folder, const char *_Nonnull path, int flags);

/* 1 when both lie in one mount of one device, as far as can be seen. statx(2), STATX_MNT_ID. */
int bah_is_same_mount(int one, int other);
