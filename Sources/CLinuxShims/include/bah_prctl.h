/* prctl(2), one function per option that is used. */
#pragma once

int bah_set_parent_death_signal(int signal);
int bah_adopt_orphans(void);
int bah_set_no_new_privileges(void);
int bah_set_dumpable(int is_dumpable);
int bah_disable_huge_pages(void);
