// SPDX-License-Identifier: MIT
// How many processors the program uses where control groups limit them.

#include <sys/stat.h>
#include <unistd.h>

#include "processors.h"
#include "support/test.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "processors-%ld", (long)getpid());
    return mkdir(folder, 0700);
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_group(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static uint32_t limit(const char *membership)
{
    char path[256];
    write_file("membership", membership);
    snprintf(path, sizeof path, "%s/membership", folder);
    return app_processor_limit(path, folder);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a/b/cpu.max", "a/b", "a/cpu.max", "a", "cpu.max", "membership", "."};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (unlink(path) != 0) rmdir(path);
    }
    return rmdir(folder) == 0 || access(folder, F_OK) != 0 ? 0 : 1;
}

static void control_groups_limit_processors(void **state)
{
    (void)state;
    assert_int_equal(app_processor_limit("/nowhere", folder), 0);
    assert_int_equal(limit("0::/\n"), 0);
    write_file("cpu.max", "max 100000\n");
    assert_int_equal(limit("0::/\n"), 0);
    write_file("cpu.max", "300000 100000\n");
    assert_int_equal(limit("0::/\n"), 3);
    write_file("cpu.max", "150000 100000\n");
    assert_int_equal(limit("0::/\n"), 2);
    write_file("cpu.max", "1000 100000\n");
    assert_int_equal(limit("0::/\n"), 1);
    write_file("cpu.max", "rubbish\n");
    assert_int_equal(limit("0::/\n"), 0);

    // The least of the group's own limit and those above it counts.
    make_group("a");
    make_group("a/b");
    write_file("cpu.max", "max 100000\n");
    write_file("a/cpu.max", "400000 100000\n");
    write_file("a/b/cpu.max", "800000 100000\n");
    assert_int_equal(limit("4:memory:/x\n0::/a/b\n"), 4);
    write_file("a/b/cpu.max", "200000 100000\n");
    assert_int_equal(limit("4:memory:/x\n0::/a/b\n"), 2);
    assert_int_equal(limit("4:memory:/x\n0::/a\n"), 4);
    assert_int_equal(limit("4:memory:/x\n"), 0);       // version 1 alone
    assert_int_equal(limit("0::/../elsewhere\n"), 0);  // out of sight
    assert_true(app_processors() >= 1 && app_processors() <= mote_context_worker_count(NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_groups_limit_processors),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
