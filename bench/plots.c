// Plots of a sweep: a table of its rows and a script beside it, which gnuplot turns into two pictures.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

// A curve: the rows of one name and workload, on one thread, or on as many as were asked for.
static const char script[] =
    "set terminal pngcairo size 1400,900 font 'DejaVu Sans,12' background 'white'\n"
    "set datafile separator tab\n"
    "set logscale xy\n"
    "set grid lc rgb '#dddddd'\n"
    "set ylabel 'nanoseconds a point'\n"
    "set key outside right top Left reverse\n"
    "unique(where) = system(\"awk -F'\\t' '\" . where . \" { c = $1 \\\"|\\\" $2; if (!(c in s)) { s[c] = 1; print c } }'"
    " rows.tsv | tr ' ' '~'\")\n"
    "rows(where, curve) = sprintf(\"< awk -F'\\t' -v c='%s' '%s && $1 \\\"|\\\" $2 == c' rows.tsv\", "
    "system(\"echo '\" . curve . \"' | tr '~' ' '\"), where)\n"
    "label(curve) = system(\"echo '\" . curve . \"' | tr '~|_' ' ,-'\")\n"
    "set output 'time-against-count.png'\n"
    "set title 'One thread'\n"
    "set xlabel 'points'\n"
    "first = unique('$6 == 0 && $3 == 1')\n"
    "if (words(first) > 0) plot for [c in first] rows('$6 == 0 && $3 == 1', c) using 4:5 with linespoints "
    "title label(c)\n"
    "set output 'time-against-neighbors.png'\n"
    "set xlabel 'neighbours a point'\n"
    "second = unique('$6 == 1 && $3 == 1')\n"
    "if (words(second) > 0) plot for [c in second] rows('$6 == 1 && $3 == 1', c) using 7:5 with linespoints "
    "title label(c)\n";

static bool sweeps_neighbors(const char *workload)
{
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        if (strcmp(bench_point_workloads[w].name, workload) == 0) return bench_point_workloads[w].sweeps_neighbors;
    return false;
}

static bool write_files(const char *folder, const bench_report *report)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rows.tsv", folder);
    FILE *rows = fopen(path, "w");
    if (!rows) return false;
    for (size_t r = 0; r < report->count; ++r) {
        const bench_row *row = report->rows + r;
        const bool by_neighbors = sweeps_neighbors(row->workload);
        const double count = (double)(row->count ? row->count : 1);
        fprintf(rows, "%s\t%s\t%u\t%zu\t%.3f\t%d\t%.3f\n", row->name, by_neighbors ? "crowd" : row->workload,
                row->threads, row->count, row->total_ms * 1e6 / count, by_neighbors, (double)row->result / count);
    }
    bool written = !ferror(rows);
    written = fclose(rows) == 0 && written;
    snprintf(path, sizeof path, "%s/plot.gnuplot", folder);
    FILE *plot = written ? fopen(path, "w") : NULL;
    if (!plot) return false;
    written = fputs(script, plot) >= 0;
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

void bench_draw(const bench_options *options, const char *bench, const bench_report *report)
{
    char folder[2048];
    snprintf(folder, sizeof folder, options->plots ? "%.2000s" : "bench-%.2000s",
             options->plots ? options->plots : bench);
    if (options->json == false && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || !write_files(folder, report)) {
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
