#pragma once

#include <stddef.h>

/*
 * A door to glibc's argp: a table of options is built row by row, parsed against a list of words,
 * and asked for its help text. Nothing is printed and the process never exits.
 * The GNU C Library manual, "Parsing Program Options with Argp".
 */
#ifdef __has_include
#if !__has_include(<argp.h>)
#error "argp.h is missing: glibc's headers are needed (Debian: libc6-dev)"
#endif
#endif

#ifdef __clang__
#pragma clang assume_nonnull begin
#define BAH_NULLABLE _Nullable
#else
#define BAH_NULLABLE
#endif

/** The table of one program or subcommand and what one parse of it found. */
struct bah_option_table;

/**
 * Makes an empty table. Every text is copied.
 *
 * - name: what stands after "Usage:", such as "bahost run".
 * - arguments: what the usage line calls the words that are no options; may be empty.
 * - summary: printed before the options; a vertical tab starts the part printed after them.
 *
 * Returns NULL without memory. Release with bah_free_option_table.
 */
struct bah_option_table *BAH_NULLABLE bah_make_option_table(
    const char *name, const char *arguments, const char *summary);

/** Releases a table. */
void bah_free_option_table(struct bah_option_table *BAH_NULLABLE table);

/** Adds a heading; the rows that follow belong to it. 0, or -ENOMEM. */
int bah_add_option_group(struct bah_option_table *table, const char *title);

/**
 * Adds an option, numbered from 0 in the order of the calls.
 *
 * - short_key: a printable ASCII character, or 0 for none.
 * - argument: the label of its value, or NULL when it takes none.
 *
 * Returns 0, or -ENOMEM.
 */
int bah_add_option(
    struct bah_option_table *table, const char *name, int short_key,
    const char *BAH_NULLABLE argument, const char *help);

/** Adds a word of the command line, without the program's name. 0, or -ENOMEM. */
int bah_add_word(struct bah_option_table *table, const char *word);

/**
 * Parses the words added so far.
 *
 * Returns 0, or -EINVAL: then bah_rejected_word names the word that was not understood. -ENOMEM.
 */
int bah_parse_words(struct bah_option_table *table);

/** The word that ended the parse, or NULL. */
const char *BAH_NULLABLE bah_rejected_word(const struct bah_option_table *table);

/** How many options and other words the parse found, in their order. */
size_t bah_count_findings(const struct bah_option_table *table);

/** The number of the option of finding `index`, or -1 for a word that is no option. */
int bah_find_option(const struct bah_option_table *table, size_t index);

/** The value of finding `index`, or NULL for an option without one. */
const char *BAH_NULLABLE bah_find_value(const struct bah_option_table *table, size_t index);

/** The long help, or with `is_short` the usage line; release with free(3). NULL without memory. */
char *BAH_NULLABLE bah_print_option_help(struct bah_option_table *table, int is_short);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
