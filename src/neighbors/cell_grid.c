// SPDX-License-Identifier: MIT
// cell_grid: a uniform grid of cells, points sorted by cell. `auto`, the default, chooses it in most cases.
//
// It is the uniform grid of Green 2008 (sorted points, cell starts), processed cell by cell. Points with one radius in
// an open space are sorted by grid_sort.c, and grid_find.c finds their rows, those of subsets and those of queries;
// double points go through the same loops as floats (grid_relative.h). All other searches are served by grid_classes.c
// and grid_rows.c: radii, periodic boxes, and double points too far apart for floats.

#include "neighbors/grid_find.h"
#include "neighbors/grid_rows.h"

typedef struct cell_grid {
    grid_points points;
    source_memory source;
    cell_rows general;  // serves all other searches
    bool is_general;
} cell_grid;

static mote_result build(mote_neighbors *search, const mote_points *points, mote_error *error)
{
    cell_grid *grid = search->state;
    const uint32_t general = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN;
    bool served = !mote_search_has(search, general);
    mote_result result = served ? mote_grid_build(search, &grid->points, points, &served, error) : MOTE_OK;
    grid->is_general = !served;
    return served ? result : mote_cell_rows_build(search, &grid->general);
}

// The points of a subset: many are picked while all are gone through, others are sorted by place.
static mote_result find_subset(const mote_neighbors *search, cell_grid *grid, const row_request *request,
                               row_source *source)
{
    const mote_context *context = search->context;
    const cell_sort *sort = &grid->points.sort;
    const uint32_t *points = request->subset;
    const size_t count = request->count;
    bool served;
    const mote_result result = mote_source_many(context, &grid->source, sort, points, count, source, &served);
    if (result != MOTE_OK || served) return result;
    const uint32_t *places = mote_grid_places(context, &grid->points);
    return mote_source_subset(context, &grid->source, sort, places, points, count, source);
}

static void find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    cell_grid *grid = search->state;
    if (grid->is_general) {
        mote_cell_rows_find(search, &grid->general, request, writers);
        return;
    }
    const cell_sort *sort = &grid->points.sort;
    const relative_frame *frame = grid->points.is_relative ? &grid->points.frame : NULL;
    row_source source = mote_source_all(sort);
    mote_result result = MOTE_OK;
    if (request->queries)
        result = mote_source_queries(search->context, &grid->source, sort, frame, request->queries, request->numbers,
                                     &source);
    else if (request->subset)
        result = find_subset(search, grid, request, &source);
    else if (request->in_order)
        result = mote_grid_number_rows(search->context, &grid->points, &source);
    if (result == MOTE_OK)
        mote_grid_find(search, &grid->points, &source, request, writers);
    else
        atomic_store(&writers->sink->out_of_memory, true);
}

static bool sorted_points(const mote_neighbors *search, mote_points *points, const uint32_t **numbers)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->points.sort;
    if (grid->is_general || grid->points.is_relative) return false;
    *points = mote_points_axes(sort->x, sort->y, sort->z, sort->count);
    points->dimensions = sort->dimensions;
    *numbers = sort->index;
    return true;
}

static const uint32_t *order_of_rows(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return grid->is_general ? NULL : grid->points.sort.index;
}

static const double *records(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return grid->is_general ? grid->general.sort.records : NULL;
}

static void find_row(const mote_neighbors *search, const row_request *request, row_writer *writer, mote_buffer *memory)
{
    const cell_grid *grid = search->state;
    if (grid->is_general)
        mote_cell_rows_find_row(search, &grid->general, request, writer, memory);
    else
        mote_grid_find_row(search, &grid->points, request, writer);
}

static mote_result visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor, void *user_data,
                                mote_error *error)
{
    (void)error;
    cell_grid *grid = search->state;
    return mote_grid_visit_groups(search, &grid->points, visitor, user_data);
}

static void release(mote_neighbors *search)
{
    cell_grid *grid = search->state;
    mote_grid_release(search->context, &grid->points);
    mote_source_release(search->context, &grid->source);
    mote_cell_rows_release(search->context, &grid->general);
}

static size_t byte_count(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return mote_grid_byte_count(&grid->points) + mote_source_byte_count(&grid->source) +
           mote_cell_rows_byte_count(&grid->general);
}

static void count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->points.sort;
    if (grid->is_general)
        counters->cells = grid->general.sort.cell_count;
    else
        for (uint64_t c = 0; c < sort->cell_count; ++c) counters->cells += sort->start[c + 1] > sort->start[c];
}

// The edge of the sorted points' cells, in the unit of the points.
static double edge_of(const cell_grid *grid)
{
    const double edge = 1 / grid->points.sort.inverse_edge;
    return grid->points.is_relative ? edge / grid->points.frame.scale : edge;
}

// Describes the cells of the fast path, or of the general one.
static void explain(mote_neighbors *search, char *text, size_t size)
{
    const cell_grid *grid = search->state;
    const cell_sort *sort = &grid->points.sort;
    const class_sort *classes = &grid->general.sort;
    mote_neighbors_counters counters = {0};
    count(search, &counters);
    const unsigned long long cells = counters.cells;
    const double each = cells ? (double)search->count / (double)cells : 0;
    size_t length = mote_print(text, size, "%llu points in %llu occupied cells, %.3g per cell, ",
                               (unsigned long long)search->count, cells, each);
    if (length >= size) return;
    if (search->count == 0)
        length += mote_print(text + length, size - length, "nothing to sort");
    else if (grid->is_general && classes->class_count > 1)
        length += mote_print(text + length, size - length,
                             "sorted by %u classes of radii or periods, edges %.4g to %.4g", classes->class_count,
                             classes->classes[0].frame.edge, classes->classes[classes->class_count - 1].frame.edge);
    else if (grid->is_general)
        length += mote_print(text + length, size - length, "sorted, edge %.4g", classes->classes[0].frame.edge);
    else if (sort->dense)
        length += mote_print(text + length, size - length, "in a dense table of %llu cells of edge %.4g",
                             (unsigned long long)sort->cell_count, edge_of(grid));
    else
        length += mote_print(text + length, size - length, "sorted by cell (a table would be mostly empty), edge %.4g",
                             edge_of(grid));
    if (length < size && mote_search_has(search, MOTE_NEIGHBORS_NEAREST))
        mote_print(text + length, size - length, "; k nearest by k-d tree");
}

static mote_result validate(mote_neighbors *search, mote_error *error)
{
    const cell_grid *grid = search->state;
    if (grid->is_general) return mote_class_sort_validate(&grid->general.sort, error);
    return mote_cell_sort_validate(&grid->points.sort, error);
}

static const uint32_t *permutation(const mote_neighbors *search)
{
    const cell_grid *grid = search->state;
    return grid->is_general ? grid->general.sort.index : grid->points.sort.index;
}

const neighbors_method mote_neighbors_cell_grid = {
    .info = {"cell_grid", "Green 2008", "grid of cells as wide as the radius, points sorted by cell",
             CELL_GRID_FEATURES, true},
    .state_bytes = sizeof(cell_grid),
    .finds_places = true,
    .build = build,
    .find_rows = find_rows,
    .find_row = find_row,
    .visit_groups = visit_groups,
    .find_nearest = mote_nearest_find,
    .release = release,
    .byte_count = byte_count,
    .validate = validate,
    .count = count,
    .permutation = permutation,
    .sorted_points = sorted_points,
    .order_of_rows = order_of_rows,
    .records = records,
    .explain = explain,
};
