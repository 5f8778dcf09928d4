#define _GNU_SOURCE
#include "CArgp.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys above every character, so that an option without a short key cannot meet one with. */
enum { FIRST_LONG_KEY = 0x1000 };

struct finding {
    int option;
    const char *value;
};

struct bah_option_table {
    char *name;
    char *arguments;
    char *summary;
    struct argp_option *rows; /* always ended by an empty row */
    size_t row_count;
    int *keys; /* by option number */
    size_t option_count;
    int group;
    char **words; /* words[0] is the name; ended by NULL */
    size_t word_count;
    struct finding *findings;
    size_t finding_count;
    const char *rejected;
};

struct bah_option_table *bah_make_option_table(
    const char *name, const char *arguments, const char *summary)
{
    struct bah_option_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->name = strdup(name);
    table->arguments = strdup(arguments);
    table->summary = strdup(summary);
    table->rows = calloc(1, sizeof *table->rows);
    if (table->name == NULL || table->arguments == NULL || table->summary == NULL
        || table->rows == NULL || bah_add_word(table, name) != 0) {
        bah_free_option_table(table);
        return NULL;
    }
    return table;
}

void bah_free_option_table(struct bah_option_table *table)
{
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; table->rows != NULL && i < table->row_count; i++) {
        free((char *)table->rows[i].name);
        free((char *)table->rows[i].arg);
        free((char *)table->rows[i].doc);
    }
    for (size_t i = 0; i < table->word_count; i++) {
        free(table->words[i]);
    }
    free(table->rows);
    free(table->keys);
    free(table->words);
    free(table->findings);
    free(table->name);
    free(table->arguments);
    free(table->summary);
    free(table);
}

/* Appends a row, taking its texts over whatever happens. */
static int append_row(struct bah_option_table *table, struct argp_option row)
{
    struct argp_option *rows = reallocarray(
        table->rows, table->row_count + 2, sizeof *table->rows);
    if (rows == NULL) {
        free((char *)row.name);
        free((char *)row.arg);
        free((char *)row.doc);
        return -ENOMEM;
    }
    table->rows = rows;
    rows[table->row_count++] = row;
    memset(&rows[table->row_count], 0, sizeof *rows);
    return 0;
}

int bah_add_option_group(struct bah_option_table *table, const char *title)
{
    table->group++;
    char *copy = strdup(title);
    if (copy == NULL) {
        return -ENOMEM;
    }
    return append_row(table, (struct argp_option){ .doc = copy, .group = table->group });
}

int bah_add_option(
    struct bah_option_table *table, const char *name, int short_key, const char *argument,
    const char *help)
{
    int *keys = reallocarray(table->keys, table->option_count + 1, sizeof *keys);
    if (keys == NULL) {
        return -ENOMEM;
    }
    table->keys = keys;
    const int key = short_key != 0 ? short_key : FIRST_LONG_KEY + (int)table->option_count;
    struct argp_option row = { .key = key, .group = table->group };
    row.name = strdup(name);
    row.arg = argument != NULL ? strdup(argument) : NULL;
    row.doc = strdup(help);
    const int is_short = row.name == NULL || row.doc == NULL
                         || (argument != NULL && row.arg == NULL);
    const int status = append_row(table, row);
    if (status != 0 || is_short) {
        return -ENOMEM;
    }
    keys[table->option_count++] = key;
    return 0;
}

int bah_add_word(struct bah_option_table *table, const char *word)
{
    char **words = reallocarray(table->words, table->word_count + 2, sizeof *words);
    if (words == NULL) {
        return -ENOMEM;
    }
    table->words = words;
    words[table->word_count] = strdup(word);
    if (words[table->word_count] == NULL) {
        return -ENOMEM;
    }
    words[++table->word_count] = NULL;
    return 0;
}

static int option_for_key(const struct bah_option_table *table, int key)
{
    for (size_t i = 0; i < table->option_count; i++) {
        if (table->keys[i] == key) {
            return (int)i;
        }
    }
    return -1;
}

static int keep_finding(struct bah_option_table *table, int option, const char *value)
{
    struct finding *findings = reallocarray(
        table->findings, table->finding_count + 1, sizeof *findings);
    if (findings == NULL) {
        return ENOMEM;
    }
    table->findings = findings;
    findings[table->finding_count++] = (struct finding){ .option = option, .value = value };
    return 0;
}

/* getopt steps over a rejected word, unless it stands inside a cluster of short options. */
static void keep_rejected(struct bah_option_table *table, const struct argp_state *state)
{
    const char *next = state->next < state->argc ? state->argv[state->next] : NULL;
    const char *last = state->next > 1 ? state->argv[state->next - 1] : NULL;
    const int is_cluster = next != NULL && next[0] == '-' && next[1] != '-' && next[1] != '\0';
    const int is_last_long = last != NULL && last[0] == '-' && last[1] == '-';
    const int is_last_short = last != NULL && last[0] == '-' && last[1] != '\0' && last[2] == '\0';
    table->rejected = is_cluster && !is_last_long && !is_last_short ? next : last;
}

static error_t handle_key(int key, char *value, struct argp_state *state)
{
    struct bah_option_table *table = state->input;
    if (key == ARGP_KEY_ARG) {
        return keep_finding(table, -1, value);
    }
    if (key == ARGP_KEY_ERROR) {
        keep_rejected(table, state);
        return 0;
    }
    const int option = option_for_key(table, key);
    return option < 0 ? ARGP_ERR_UNKNOWN : keep_finding(table, option, value);
}

static struct argp describe(const struct bah_option_table *table)
{
    return (struct argp){
        .options = table->rows,
        .parser = handle_key,
        .args_doc = table->arguments[0] != '\0' ? table->arguments : NULL,
        .doc = table->summary,
    };
}

int bah_parse_words(struct bah_option_table *table)
{
    const struct argp argp = describe(table);
    table->finding_count = 0;
    table->rejected = NULL;
    /* ARGP_SILENT: no message, no exit and no --help of its own. */
    const error_t status = argp_parse(
        &argp, (int)table->word_count, table->words, ARGP_SILENT, NULL, table);
    if (status == 0) {
        return 0;
    }
    return status == ENOMEM ? -ENOMEM : -EINVAL;
}

const char *bah_rejected_word(const struct bah_option_table *table)
{
    return table->rejected;
}

size_t bah_count_findings(const struct bah_option_table *table)
{
    return table->finding_count;
}

int bah_find_option(const struct bah_option_table *table, size_t index)
{
    return index < table->finding_count ? table->findings[index].option : -1;
}

const char *bah_find_value(const struct bah_option_table *table, size_t index)
{
    return index < table->finding_count ? table->findings[index].value : NULL;
}

char *bah_print_option_help(struct bah_option_table *table, int is_short)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    const struct argp argp = describe(table);
    const unsigned flags = is_short ? ARGP_HELP_USAGE
                                    : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC;
    argp_help(&argp, stream, flags, table->name);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
