// SPDX-License-Identifier: MIT
// The results of mote broadphase, as text and as JSON.

#include <math.h>
#include <string.h>

#include "app.h"
#include "broadphase.h"

// ---------------------------------------------------------------------------------------------------------- sizes

enum { MOST_BARS = 16 };

// How many boxes have a longest edge in 2^k … 2^(k + width), k = first, first + width, …
typedef struct size_statistics {
    double least, most;
    size_t points;  // without extent
    int first, width, bar_count;
    size_t bars[MOST_BARS];
} size_statistics;

static double longest_edge(const mote_box_data *boxes, size_t i)
{
    const size_t d = (size_t)boxes->dimensions;
    const float *at = boxes->corners + 2 * d * i;
    double edge = 0;
    for (size_t k = 0; k < d; ++k) edge = fmax(edge, (double)at[d + k] - (double)at[k]);
    return edge;
}

static size_statistics count_sizes(const mote_box_data *boxes)
{
    size_statistics sizes = {.least = INFINITY, .width = 1};
    double least = INFINITY;  // above 0
    for (size_t i = 0; i < boxes->count; ++i) {
        const double edge = longest_edge(boxes, i);
        sizes.least = fmin(sizes.least, edge);
        sizes.most = fmax(sizes.most, edge);
        if (edge > 0) least = fmin(least, edge);
        else sizes.points += 1;
    }
    if (!(sizes.most > 0)) return sizes;
    sizes.first = ilogb(least);
    const int span = ilogb(sizes.most) - sizes.first;
    sizes.width = span / MOST_BARS + 1;
    sizes.bar_count = span / sizes.width + 1;
    for (size_t i = 0; i < boxes->count; ++i) {
        const double edge = longest_edge(boxes, i);
        if (edge > 0) ++sizes.bars[(ilogb(edge) - sizes.first) / sizes.width];
    }
    return sizes;
}

static void print_histogram(const size_statistics *sizes)
{
    size_t longest = sizes->points;
    for (int b = 0; b < sizes->bar_count; ++b) longest = sizes->bars[b] > longest ? sizes->bars[b] : longest;
    if (sizes->points) app_bar_print("0", sizes->points, longest);
    for (int b = 0; b < sizes->bar_count; ++b) {
        char range[32];
        const int from = sizes->first + b * sizes->width;
        snprintf(range, sizeof range, "%.4g-%.4g", ldexp(1, from), ldexp(1, from + sizes->width));
        app_bar_print(range, sizes->bars[b], longest);
    }
}

// ----------------------------------------------------------------------------------------------------------- text

// The fastest of the methods that finished, by the total time for structure and pairs.
static const app_method_row *fastest(const app_overlaps *all)
{
    const app_method_row *best = &all->own;
    for (size_t m = 0; m < all->row_count; ++m) {
        const app_method_row *row = &all->rows[m];
        const bool is_faster = row->build_seconds + row->pairs_seconds < best->build_seconds + best->pairs_seconds;
        if (row->result == MOTE_OK && row->skipped_seconds == 0 && is_faster) best = row;
    }
    return best;
}

void app_overlaps_say(const char *what, const char *method)
{
    if (!app_is_terminal(stderr)) return;
    if (what) fprintf(stderr, "\r%s %s …\x1b[K", what, method);
    else fputs("\r\x1b[K", stderr);
    fflush(stderr);
}

void app_overlaps_print_row(const app_method_row *row)
{
    app_style style = app_style_of(stdout);
    if (row->result != MOTE_OK)
        printf("%-20s %s\n", row->name, mote_result_text(row->result));
    else if (row->skipped_seconds > 0)
        printf("%-20s %sskipped: would take about %.0f s, --all runs it%s\n", row->name, style.dim,
               row->skipped_seconds, style.reset);
    else
        printf("%-20s %12.4g %12.4g %12.4g %12.4g%s%s%s\n", row->name, 1e3 * row->build_seconds,
               1e3 * row->pairs_seconds, 1e-6 * (double)row->bytes, 1e-6 * (double)row->result_bytes, style.red,
               row->agrees ? "" : "  other pairs", style.reset);
    fflush(stdout);
}

void app_overlaps_print_choice(const app_overlaps *all)
{
    app_style style = app_style_of(stdout);
    const app_method_row *best = fastest(all);
    putchar('\n');
    if (all->suits[0]) printf("%ssuits%s       %s\n", style.bold, style.reset, all->suits);
    printf("%sfastest%s     %s in this run: %.4g ms for structure and pairs\n", style.bold, style.reset, best->name,
           1e3 * (best->build_seconds + best->pairs_seconds));
}

// Cells are sorted by class, coarse ones first.
static void print_cells(const app_overlaps *all, const app_cells *cells, const app_style *style)
{
    printf("%scells%s       %zu of %s\n", style->bold, style->reset, cells->count, all->cells_method);
    for (size_t begin = 0, end; begin < cells->count; begin = end) {
        const int32_t class_number = cells->cells[begin].class_number;
        uint64_t objects = 0;
        for (end = begin; end < cells->count && cells->cells[end].class_number == class_number; ++end)
            objects += cells->cells[end].objects;
        char label[32];
        snprintf(label, sizeof label, "class %d", class_number);
        printf("  %13s  %zu cell%s, %llu entr%s\n", label, end - begin, app_plural(end - begin),
               (unsigned long long)objects, objects == 1 ? "y" : "ies");
    }
}

void app_overlaps_print(const app_overlaps *all, const app_cells *cells)
{
    app_style style = app_style_of(stdout);
    const size_statistics sizes = count_sizes(&all->data);
    const double count = (double)all->data.count;
    printf("%sboxes%s       %zu in %dD\n", style.bold, style.reset, all->data.count, all->data.dimensions);
    printf("%sextents%s    ", style.bold, style.reset);
    for (int k = 0; k < all->data.dimensions; ++k)
        printf(" %c %.6g to %.6g%s", "xyz"[k], all->extents.min[k], all->extents.max[k],
               k + 1 < all->data.dimensions ? "," : "\n");
    printf("%ssizes%s       longest edges from %.4g to %.4g\n", style.bold, style.reset, sizes.least, sizes.most);
    print_histogram(&sizes);
    printf("%smethod%s      %s\n", style.bold, style.reset, all->explanation);
    printf("%spairs%s       %zu in all, %.4g per box\n", style.bold, style.reset, all->pairs.count,
           (double)all->pairs.count / count);
    printf("%stime%s        %.4g ms for the structure, %.4g ms for all pairs\n", style.bold, style.reset,
           1e3 * all->own.build_seconds, 1e3 * all->own.pairs_seconds);
    if (cells) print_cells(all, cells, &style);
    for (int k = 0; k < 3; ++k) {
        const char *path = k == 0 ? all->pairs_path : k == 1 ? all->cells_path : all->picture_path;
        if (path) app_line_put("written", path);
    }
    if (all->has_checked && all->wrong < 0)
        printf("%scheck%s       %sholds%s: the pairs of %zu boxes are as brute force has them\n", style.bold,
               style.reset, style.green, style.reset, all->checked);
    printf("\n%s%-20s %12s %12s %12s %12s%s\n", style.bold, "method", "build ms", "pairs ms", "structure MB",
           "results MB", style.reset);
}

// ----------------------------------------------------------------------------------------------------------- JSON

static void print_numbers(const char *name, const double *numbers, int count)
{
    printf("\"%s\": [", name);
    for (int k = 0; k < count; ++k) printf("%s%.9g", k ? ", " : "", numbers[k]);
    printf("]");
}

static void print_row(const app_method_row *row)
{
    printf("{\"method\": \"%s\", ", row->name);
    if (row->result != MOTE_OK)
        printf("\"result\": \"%s\"}", mote_result_name(row->result));
    else if (row->skipped_seconds > 0)
        printf("\"skipped\": true, \"estimated_ms\": %.3g}", 1e3 * row->skipped_seconds);
    else
        printf("\"build_ms\": %.6g, \"pairs_ms\": %.6g, \"bytes\": %zu, \"result_bytes\": %zu, \"pairs\": %zu, "
               "\"agrees\": %s}",
               1e3 * row->build_seconds, 1e3 * row->pairs_seconds, row->bytes, row->result_bytes, row->pair_count,
               row->agrees ? "true" : "false");
}

void app_overlaps_print_json(const app_overlaps *all)
{
    const size_statistics sizes = count_sizes(&all->data);
    printf("{\"mote\": \"%s\", \"file\": ", mote_version());
    app_json_print(all->path);
    printf(", \"boxes\": %zu, \"dimensions\": %d, ", all->data.count, all->data.dimensions);
    print_numbers("min", all->extents.min, all->data.dimensions);
    printf(", ");
    print_numbers("max", all->extents.max, all->data.dimensions);
    printf(", \"least_edge\": %.9g, \"most_edge\": %.9g, \"histogram\": [", sizes.least, sizes.most);
    if (sizes.points) printf("{\"from\": 0, \"boxes\": %zu}", sizes.points);
    for (int b = 0; b < sizes.bar_count; ++b)
        printf("%s{\"from\": %.9g, \"boxes\": %zu}", b || sizes.points ? ", " : "",
               ldexp(1, sizes.first + b * sizes.width), sizes.bars[b]);
    printf("], \"pairs\": %zu, \"build_ms\": %.6g, \"pairs_ms\": %.6g, \"explain\": ", all->pairs.count,
           1e3 * all->own.build_seconds, 1e3 * all->own.pairs_seconds);
    app_json_print(all->explanation);
    printf(", \"suits\": ");
    app_json_print(all->suits);
    printf(", \"fastest\": \"%s\", \"methods\": [", fastest(all)->name);
    for (size_t m = 0; m < all->row_count; ++m) {
        if (m) printf(", ");
        print_row(&all->rows[m]);
    }
    printf("]");
    if (all->has_checked)
        printf(", \"checked\": %zu, \"holds\": %s", all->checked, all->wrong < 0 ? "true" : "false");
    printf("}\n");
}
