/* A view of the file system for one process: mount_namespaces(7), mount(2), open_tree(2). */
#pragma once

/* Leaves the mount namespace for a copy of it whose changes are seen by nobody else. unshare(2). */
int bah_enter_mount_namespace(void);

/* Changes outside are still seen here, those here are not seen outside. MS_SLAVE. */
int bah_follow_mounts(void);

/*
 * A copy of the tree at `path`, not attached anywhere yet: read-only unless said, without devices
 * and set-uid programs. open_tree(2), mount_setattr(2); Linux 5.12.
 */
int bah_copy_tree(const char *_Nonnull path, int is_writable);

/* Attaches a copied tree at `target`, a folder or file that is made for it. move_mount(2). */
int bah_attach_tree(int tree, const char *_Nonnull target);

/* An empty file system of at most 64 KiB on `folder`, mode 0755. tmpfs(5). */
int bah_mount_empty(const char *_Nonnull folder);

/* This process's own PID namespace on /proc. proc(5). */
int bah_mount_processes(void);

/* Makes what was mounted with bah_mount_empty read-only itself. */
int bah_seal_mount(const char *_Nonnull folder);

/* Takes the topmost mount on `folder` away again. umount2(2), MNT_DETACH. */
int bah_unmount(const char *_Nonnull folder);
