// Starting programs. Ordinary code tries it; a plugin's run ends there.
#include "c.h"

#include <spawn.h>
#include <sys/wait.h>

int32_t try_popen(const struct call *call)
{
    FILE *output = popen("true", "re");
    const int why = errno;
    if (output != NULL)
        pclose(output);
    REQUIRE(call, output == NULL);
    return FOUND(call, "refused: %s", strerror(why));
}

int32_t try_system(const struct call *call)
{
    REQUIRE(call, system("true") != 0);
    return FOUND(call, "refused: %s", strerror(errno));
}

int32_t try_spawn(const struct call *call)
{
    char *arguments[] = {(char[]){"true"}, NULL};
    pid_t child;
    const int status = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, NULL);
    REQUIRE(call, status != 0);
    return FOUND(call, "refused: %s", strerror(status));
}
