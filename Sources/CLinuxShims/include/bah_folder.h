/* Emptying a folder whose contents are somebody else's. */
#pragma once

/*
 * Removes everything below the folder `descriptor`, however deep it is nested and however its
 * names and modes are, and never through a link: a nested folder is emptied by moving its own
 * folders up, so that no path is ever walked. Nobody else may change the folder meanwhile.
 * Returns 0, or a negated errno when something could not be removed.
 */
int bah_empty_folder(int descriptor);
