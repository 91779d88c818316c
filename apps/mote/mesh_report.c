// SPDX-License-Identifier: MIT
// The report of `mote mesh`: as text, and as JSON.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "mesh.h"

typedef struct fault {
    const char *name, *key, *meaning;
    size_t count;
} fault;

enum { FAULTS = 7 };

static void list_faults(const app_surface *surface, fault faults[FAULTS])
{
    const mote_mesh_report *report = &surface->report;
    faults[0] = (fault){"open edges", "open_edges", "one triangle alone has them", report->open_edges};
    faults[1] = (fault){"non-manifold edges", "non_manifold_edges", "more than two triangles meet there",
                        report->non_manifold_edges};
    faults[2] = (fault){"flipped edges", "flipped_edges", "one of their two triangles faces the other way",
                        report->flipped_edges};
    faults[3] = (fault){"degenerate", "degenerate", "triangles without area", report->degenerate};
    faults[4] = (fault){"duplicates", "duplicates", "triangles that are there already", report->duplicates};
    faults[5] = (fault){"non-manifold points", "non_manifold_vertices", "several fans of triangles meet there",
                        report->non_manifold_vertices};
    faults[6] = (fault){"crossings", "crossings", "pairs of triangles cut through each other",
                        (size_t)surface->crossings.count};
}

static uint64_t count_leaves(const mote_proxy_stats *stats)
{
    uint64_t leaves = 0;
    for (int depth = 0; depth <= MOTE_PROXY_DEEPEST; ++depth) leaves += stats->leaves[depth];
    return leaves;
}

// ----------------------------------------------------------------------------------------------------------- text

// Prints with six digits, or with all digits if six do not distinguish the two ends.
static void print_extent(char axis, double low, double high, const char *end)
{
    char from[32], to[32];
    snprintf(from, sizeof from, "%.6g", low);
    snprintf(to, sizeof to, "%.6g", high);
    if (low != high && strcmp(from, to) == 0) {
        mote_number_text(low, from, sizeof from);
        mote_number_text(high, to, sizeof to);
    }
    printf(" %c %s to %s%s", axis, from, to, end);
}

static void print_mesh(const app_surface *surface, const app_style *style)
{
    const mote_mesh *mesh = surface->mesh;
    const double low[3] = {surface->box.min.x, surface->box.min.y, surface->box.min.z};
    const double high[3] = {surface->box.max.x, surface->box.max.y, surface->box.max.z};
    const size_t parts = surface->report.components;
    const size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    printf("%smesh%s        %zu vert%s, %zu triangle%s, %zu part%s\n", style->bold, style->reset, vertices,
           vertices == 1 ? "ex" : "ices", triangles, app_plural(triangles), parts, app_plural(parts));
    if (surface->merged)
        printf("%swelded%s      %zu vert%s fewer than in the file\n", style->bold, style->reset, surface->merged,
               surface->merged == 1 ? "ex" : "ices");
    if (surface->dropped)
        printf("%sdropped%s     %zu triangle%s whose corners were merged\n", style->bold, style->reset,
               surface->dropped, app_plural(surface->dropped));
    printf("%sextents%s    ", style->bold, style->reset);
    for (int k = 0; k < 3; ++k) print_extent("xyz"[k], low[k], high[k], k < 2 ? "," : "\n");
    printf("%sedges%s       %.4g to %.4g, mean %.4g\n", style->bold, style->reset, surface->shortest,
           surface->longest, surface->mean);
    printf("%sarea%s        %.6g\n", style->bold, style->reset, surface->area);
    if (surface->report.closed)
        printf("%svolume%s      %.6g%s\n", style->bold, style->reset, surface->volume,
               surface->volume < 0 ? ": the triangles face inwards" : "");
    else
        printf("%svolume%s      none, for the mesh is not closed\n", style->bold, style->reset);
}

static void print_faults(const app_surface *surface, const app_style *style)
{
    fault faults[FAULTS];
    list_faults(surface, faults);
    if (app_surface_faults(surface) == 0)
        printf("%swrong%s       %snothing%s\n", style->bold, style->reset, style->green, style->reset);
    else
        printf("%swrong%s\n", style->bold, style->reset);
    for (int k = 0; k < FAULTS; ++k)
        if (faults[k].count)
            printf("  %s%-19s%s %zu  (%s)\n", style->red, faults[k].name, style->reset, faults[k].count,
                   faults[k].meaning);
    if (surface->twins)
        printf("%snote%s        %zu vert%s at the place of another: --weld merges them (with -o FILE.ply for good), in "
               "a scene \"weld\": true\n",
               style->bold, style->reset, surface->twins, surface->twins == 1 ? "ex lies" : "ices lie");
    if (surface->unused)
        printf("%snote%s        %zu vert%s to no triangle\n", style->bold, style->reset, surface->unused,
               surface->unused == 1 ? "ex belongs" : "ices belong");
}

static void print_proxy(const app_surface *surface, const app_style *style)
{
    if (!surface->proxy) {
        printf("%sproxy%s       none: %s\n", style->bold, style->reset, surface->no_proxy);
        return;
    }
    const mote_proxy_stats *stats = &surface->stats;
    const uint64_t leaves = count_leaves(stats);
    uint64_t most = 0;
    for (int depth = 0; depth <= MOTE_PROXY_DEEPEST; ++depth)
        most = stats->leaves[depth] > most ? stats->leaves[depth] : most;
    printf("%sproxy%s       %llu lea%s with triangles, the finest %.4g wide\n", style->bold, style->reset,
           (unsigned long long)leaves, leaves == 1 ? "f" : "ves", mote_proxy_get_arrays(surface->proxy).leaf);
    for (int depth = 0; depth <= MOTE_PROXY_DEEPEST; ++depth) {
        char label[32];
        snprintf(label, sizeof label, "depth %d", depth);
        if (stats->leaves[depth]) app_bar_print(label, (size_t)stats->leaves[depth], (size_t)most);
    }
    printf("%slabels%s      empty leaves: %llu in front, %llu behind, %llu that see both sides\n", style->bold,
           style->reset, (unsigned long long)stats->front, (unsigned long long)stats->back,
           (unsigned long long)stats->both);
    printf("            leaves with triangles: %llu two-sided, %llu at a rim\n", (unsigned long long)stats->two_sided,
           (unsigned long long)stats->rims);
    printf("%ssize%s        nodes %.4g MB, table %.4g MB, triangles kept in leaves %.4g MB\n", style->bold,
           style->reset, 1e-6 * (double)stats->node_bytes, 1e-6 * (double)stats->table_bytes,
           1e-6 * (double)stats->triangle_bytes);
    printf("%stime%s        %.4g ms to %s", style->bold, style->reset, 1e3 * surface->proxy_seconds,
           surface->was_read ? "read it from " : "build it");
    if (surface->was_read) app_text_put(stdout, surface->cache.path);
    printf("\n");
}

void app_surface_print_mesh(const app_surface *surface)
{
    app_style style = app_style_of(stdout);
    print_mesh(surface, &style);
    print_faults(surface, &style);
    fflush(stdout);
}

void app_surface_print_proxy(const app_surface *surface)
{
    app_style style = app_style_of(stdout);
    print_proxy(surface, &style);
    if (surface->is_file) app_line_put("written", surface->output);
    for (size_t k = 0; k < surface->written_count; ++k) {
        char *path = app_text("%s/%s", surface->output, surface->written[k]);
        if (path) app_line_put("written", path);
        free(path);
    }
}

// ----------------------------------------------------------------------------------------------------------- JSON

static void print_vector(const char *name, mote_vec3 v)
{
    printf("\"%s\": [%.9g, %.9g, %.9g], ", name, v.x, v.y, v.z);
}

// JSON has no infinity: null is written for a value too large for a number.
static void print_number(const char *name, double value)
{
    if (isfinite(value)) printf("\"%s\": %.9g, ", name, value);
    else printf("\"%s\": null, ", name);
}

static void print_proxy_json(const app_surface *surface)
{
    if (!surface->proxy) {
        printf("null, \"no_proxy\": ");
        app_json_print(surface->no_proxy);
        return;
    }
    const mote_proxy_stats *stats = &surface->stats;
    printf(
        "{\"min_depth\": %d, \"max_depth\": %d, \"tolerance\": %.9g, \"leaf\": %.9g, \"leaves\": %llu, \"by_depth\": [",
        surface->def.min_depth, surface->def.max_depth, surface->def.tolerance,
        mote_proxy_get_arrays(surface->proxy).leaf, (unsigned long long)count_leaves(stats));
    for (int depth = 0; depth <= surface->def.max_depth; ++depth)
        printf("%s%llu", depth ? ", " : "", (unsigned long long)stats->leaves[depth]);
    printf("], \"front\": %llu, \"back\": %llu, \"both\": %llu, \"two_sided\": %llu, \"rims\": %llu, ",
           (unsigned long long)stats->front, (unsigned long long)stats->back, (unsigned long long)stats->both,
           (unsigned long long)stats->two_sided, (unsigned long long)stats->rims);
    printf("\"node_bytes\": %zu, \"table_bytes\": %zu, \"triangle_bytes\": %zu, \"%s\": %.6g}", stats->node_bytes,
           stats->table_bytes, stats->triangle_bytes, surface->was_read ? "read_ms" : "build_ms",
           1e3 * surface->proxy_seconds);
}

void app_surface_print_json(const app_surface *surface)
{
    fault faults[FAULTS];
    list_faults(surface, faults);
    printf("{\"mote\": \"%s\", \"file\": ", mote_version());
    app_json_print(surface->path);
    printf(", \"vertices\": %zu, \"triangles\": %zu, \"parts\": %zu, \"closed\": %s, ", surface->mesh->vertex_count,
           surface->mesh->triangle_count, surface->report.components, surface->report.closed ? "true" : "false");
    for (int k = 0; k < FAULTS; ++k) printf("\"%s\": %zu, ", faults[k].key, faults[k].count);
    printf("\"same_place\": %zu, \"unused\": %zu, ", surface->twins, surface->unused);
    print_vector("min", surface->box.min);
    print_vector("max", surface->box.max);
    print_number("area", surface->area);
    print_number("volume", surface->report.closed ? surface->volume : NAN);
    print_number("shortest_edge", surface->shortest);
    print_number("mean_edge", surface->mean);
    print_number("longest_edge", surface->longest);
    printf("\"proxy\": ");
    print_proxy_json(surface);
    printf("}\n");
}
