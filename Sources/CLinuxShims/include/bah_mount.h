/* A view of the file system for one process: mount_namespaces(7), mount(2). */
#pragma once

/* Leaves the mount namespace for a copy of it whose changes are seen by nobody else. unshare(2). */
int bah_enter_mount_namespace(void);

/* A place in the file tree, reachable also when something is mounted over it. open(2), O_PATH. */
int bah_open_place(const char *_Nonnull path);

/* An empty file system of at most 64 KiB on `folder`, mode 0755. tmpfs(5). */
int bah_mount_empty(const char *_Nonnull folder);

/* Shows `place` at `target`, a folder or file that is made for it; never set-uid or devices. */
int bah_mount_place(int place, const char *_Nonnull target, int is_writable);

/* Makes what was mounted with bah_mount_empty read-only itself. */
int bah_seal_mount(const char *_Nonnull folder);

/* Takes the topmost mount on `folder` away again. umount2(2), MNT_DETACH. */
int bah_unmount(const char *_Nonnull folder);
