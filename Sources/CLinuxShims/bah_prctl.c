#include "bah_prctl.h"

#include <errno.h>
#include <sys/prctl.h>

static int bah_prctl(int option, unsigned long value)
{
    return prctl(option, value, 0UL, 0UL, 0UL) == 0 ? 0 : -errno;
}

int bah_set_parent_death_signal(int signal)
{
    return bah_prctl(PR_SET_PDEATHSIG, (unsigned long)signal);
}

int bah_adopt_orphans(void)
{
    return bah_prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int bah_set_no_new_privileges(void)
{
    return bah_prctl(PR_SET_NO_NEW_PRIVS, 1);
}

int bah_set_dumpable(int is_dumpable)
{
    return bah_prctl(PR_SET_DUMPABLE, is_dumpable ? 1 : 0);
}

int bah_disable_huge_pages(void)
{
    return bah_prctl(PR_SET_THP_DISABLE, 1);
}
