// Text: encodings, locales, expressions, dates, and what is printed.
#include "c.h"

#include <execinfo.h>
#include <iconv.h>
#include <locale.h>
#include <regex.h>
#include <time.h>
#include <wchar.h>

/* Returns the bytes written, or -1. */
static long convert(const char *encoding, char *text, char *room, size_t size)
{
    size_t left = strlen(text), space = size;
    iconv_t converter = iconv_open(encoding, "UTF-8");
    if (converter == (iconv_t)-1)
        return -1;
    const size_t lost = iconv(converter, &text, &left, &room, &space);
    iconv_close(converter);
    return lost != 0 || left != 0 ? -1 : (long)(size - space);
}

int32_t convert_text(const struct call *call)
{
    char text[] = "h\xc3\xa9llo", utf16[32], latin1[32];
    REQUIRE(call, convert("UTF-16LE", text, utf16, sizeof utf16) == 10);
    REQUIRE(call, memcmp(utf16, "h\0\xe9\0l\0l\0o", 10) == 0);
    REQUIRE(call, convert("ISO-8859-1", text, latin1, sizeof latin1) == 5);
    REQUIRE(call, memcmp(latin1, "h\xe9llo", 5) == 0);
    return FOUND(call, "UTF-16 and Latin 1");
}

int32_t use_locale(const struct call *call)
{
    wchar_t wide[8];
    REQUIRE(call, setlocale(LC_ALL, "C.UTF-8") != NULL);
    REQUIRE(call, mbstowcs(wide, "\xe2\x82\xac\xc3\xa9", 8) == 2);
    REQUIRE(call, wide[0] == 0x20ac && wide[1] == 0xe9);
    return FOUND(call, "C.UTF-8: %ls", wide);
}

int32_t match_expression(const struct call *call)
{
    regex_t expression;
    regmatch_t match[2];
    REQUIRE(call, regcomp(&expression, "^level-([0-9]+)\\.bin$", REG_EXTENDED) == 0);
    const int hit = regexec(&expression, "level-42.bin", 2, match, 0);
    const int miss = regexec(&expression, "level-x.bin", 2, match, 0);
    regfree(&expression);
    REQUIRE(call, hit == 0 && miss == REG_NOMATCH);
    return FOUND(call, "one hit, one miss");
}

int32_t tell_time(const struct call *call)
{
    const time_t summer = 1751371200; // 2025-07-01 12:00 UTC
    struct tm local;
    REQUIRE(call, setenv("TZ", "Europe/Berlin", 1) == 0);
    tzset();
    REQUIRE(call, localtime_r(&summer, &local) != NULL);
    REQUIRE(call, local.tm_hour == 14 && local.tm_isdst == 1);
    return FOUND(call, "%02d:%02d %s", local.tm_hour, local.tm_min, local.tm_zone);
}

int32_t print_lines(const struct call *call)
{
    for (int i = 1; i <= 200; i++)
        REQUIRE(call, printf("printed line %d\n", i) > 0);
    REQUIRE(call, fflush(stdout) == 0);
    return FOUND(call, "200 lines printed");
}

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int32_t sort_numbers(const struct call *call)
{
    enum { COUNT = 200000 };
    uint32_t *numbers = malloc(COUNT * sizeof *numbers), state = 1;
    REQUIRE(call, numbers != NULL);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = state = state * 1664525 + 1013904223;
    qsort(numbers, COUNT, sizeof *numbers, compare);
    int wrong = 0;
    for (int i = 1; i < COUNT; i++)
        wrong += numbers[i - 1] > numbers[i];
    free(numbers);
    REQUIRE(call, wrong == 0);
    return FOUND(call, "%d numbers in order", COUNT);
}

int32_t trace_calls(const struct call *call)
{
    void *frame[32];
    const int count = backtrace(frame, 32);
    char **names = backtrace_symbols(frame, count);
    REQUIRE(call, count > 2 && names != NULL);
    const int is_ours = strstr(names[0], "c.so") != NULL;
    free(names);
    REQUIRE(call, is_ours);
    return FOUND(call, "%s", count > 2 ? "frames seen" : "");
}
