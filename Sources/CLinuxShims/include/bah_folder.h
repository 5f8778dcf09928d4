/* Emptying a folder whose contents are somebody else's. */
#pragma once

#include <stdint.h>

/*
 * Opens the folder `name` in `parent` for reading, never through a link; one without rights for us
 * to list it and to reach its entries gets them. Returns a descriptor or a negated errno.
 */
int bah_open_folder(int parent, const char *_Nonnull name);

/*
 * Removes everything below the folder `descriptor`, however deep it is nested and however its
 * names and modes are, and never through a link: a nested folder is emptied by moving its own
 * folders up, so that no path is ever walked. Nobody else may change the folder meanwhile.
 * Returns 0, or a negated errno when something could not be removed.
 */
int bah_empty_folder(int descriptor);

/*
 * Adds rights to what a place descriptor leads to, whatever has its name meanwhile; 0 or a negated
 * errno. The caller knows what it is: chmod(2), proc_pid_fd(5).
 */
int bah_add_rights(int place, unsigned rights);

/* Removes rights in the same way. */
int bah_remove_rights(int place, unsigned rights);

/*
 * Renames without replacing: 0 or a negated errno, -EEXIST when there is something of the new name,
 * -EINVAL where the file system, -ENOSYS where the kernel cannot do that. renameat2(2),
 * RENAME_NOREPLACE.
 */
int bah_rename_new(
    int from, const char *_Nonnull name, int to, const char *_Nonnull new_name);
