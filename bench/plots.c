// SPDX-License-Identifier: MIT
// Plots of a sweep: a table of its rows and a script beside it, which gnuplot turns into two pictures.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

// A panel for each workload, a curve for each name. The rows' columns: name, workload, points or objects (`what`),
// nanoseconds a query, hits a query.
static const char script[] =
    "words_of(column) = system(sprintf(\"awk '!seen[$%d]++ { print $%d }' rows.tsv\", column, column))\n"
    "panels = words(words_of(2)) - (strstrt(' '.words_of(2), 'crowd') > 0)\n"
    "columns = panels < 3 ? panels > 0 ? panels : 1 : 3\n"
    "lines = panels > 0 ? (panels + columns - 1) / columns : 1\n"
    "set terminal pngcairo size 560*columns,420*lines font 'DejaVu Sans,11' background 'white' noenhanced\n"
    "set logscale xy\n"
    "set grid lc rgb '#dddddd'\n"
    "set ylabel 'nanoseconds a query'\n"
    "set key top left Left reverse samplen 2\n"
    "rows(name, workload) = sprintf(\"< awk '$1 == \\\"%s\\\" && $2 == \\\"%s\\\"' rows.tsv\", name, workload)\n"
    "names = words_of(1)\n"
    "set output 'time-against-count.png'\n"
    "set xlabel what\n"
    "set multiplot layout lines,columns\n"
    "do for [w in words_of(2)] {\n"
    "    if (w eq 'crowd') { continue }\n"
    "    set title w\n"
    "    plot for [n in names] rows(n, w) using 3:4 smooth unique with linespoints title n\n"
    "}\n"
    "unset multiplot\n"
    "set terminal pngcairo size 1100,800 font 'DejaVu Sans,11' background 'white' noenhanced\n"
    "set output 'time-against-neighbors.png'\n"
    "set title 'uniform points'\n"
    "set xlabel 'neighbours a point'\n"
    "if (strstrt(' '.words_of(2), 'crowd')) plot for [n in names] rows(n, 'crowd') using 5:4 smooth unique "
    "with linespoints title n\n";

static bool sweeps_neighbors(const char *workload)
{
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        if (strcmp(bench_point_workloads[w].name, workload) == 0) return bench_point_workloads[w].sweeps_neighbors;
    return false;
}

// What a row is plotted against: how many points or objects there are, or, if a workload always has the same, queries.
static size_t size_of(const bench_report *report, const bench_row *row)
{
    for (size_t r = 0; r < report->count; ++r)
        if (strcmp(report->rows[r].workload, row->workload) == 0 && report->rows[r].count != row->count)
            return row->count;
    return row->queries;
}

// The rows of the fewest threads, and the script.
static bool write_files(const char *folder, const char *what, const bench_report *report)
{
    uint32_t threads = UINT32_MAX;
    for (size_t r = 0; r < report->count; ++r)
        if (report->rows[r].threads < threads) threads = report->rows[r].threads;
    char path[4096];
    snprintf(path, sizeof path, "%s/rows.tsv", folder);
    FILE *rows = fopen(path, "w");
    if (!rows) return false;
    for (size_t r = 0; r < report->count; ++r) {
        const bench_row *row = report->rows + r;
        const double queries = (double)(row->queries ? row->queries : 1);
        if (row->threads != threads) continue;
        const double ms = strcmp(row->bench, "hits") == 0 ? row->query_ms : row->total_ms;
        const char *workload = sweeps_neighbors(row->workload) ? "crowd" : row->workload;
        fprintf(rows, "%.*s\t%s\t%zu\t%.3f\t%.3f\n", (int)strcspn(row->name, " "), row->name, workload,
                size_of(report, row), ms * 1e6 / queries, (double)row->result / queries);
    }
    bool written = !ferror(rows);
    written = fclose(rows) == 0 && written;
    snprintf(path, sizeof path, "%s/plot.gnuplot", folder);
    FILE *plot = written ? fopen(path, "w") : NULL;
    if (!plot) return false;
    written = fprintf(plot, "what = '%s'\n%s", what, script) > 0;
    return fclose(plot) == 0 && written;
}

// The exit status of gnuplot run in the folder, or 127 where there is none.
static int run_gnuplot(const char *folder)
{
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0) execlp("gnuplot", "gnuplot", "plot.gnuplot", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void bench_draw(const bench_options *options, const char *bench, const char *what, const bench_report *report)
{
    char folder[2048];
    snprintf(folder, sizeof folder, options->plots ? "%.2000s" : "bench-%.2000s",
             options->plots ? options->plots : bench);
    if (options->json == false && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || !write_files(folder, what, report)) {
        fprintf(stderr, "mote bench: no plots: %s cannot be written: %s\n", folder, strerror(errno));
        return;
    }
    int status = run_gnuplot(folder);
    if (status == 0)
        fprintf(stderr, "mote bench: plots of the sweep are in %s\n", folder);
    else if (status == 127)
        fprintf(stderr, "mote bench: no plots: gnuplot is not there; the rows are in %s/rows.tsv\n", folder);
    else
        fprintf(stderr, "mote bench: no plots: gnuplot failed on %s/plot.gnuplot\n", folder);
}
