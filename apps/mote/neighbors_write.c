// SPDX-License-Identifier: MIT
// Rows of neighbours as files: CSV for people, NPY (NumPy's format, version 1.0) for programs.

#include <errno.h>
#include <string.h>

#include "app.h"
#include "neighbors.h"

int app_found_check_path(const char *path)
{
    if (app_ends_with(path, ".csv") || app_ends_with(path, ".npy")) return APP_DONE;
    app_complain("mote neighbors: --lists is %s, expected a name that ends with .csv or .npy", path);
    return APP_BAD_INPUT;
}

static void write_csv(FILE *stream, const mote_lists *lists)
{
    fprintf(stream, lists->shifts ? "point,neighbor,shift_x,shift_y,shift_z\n" : "point,neighbor\n");
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) {
            fprintf(stream, "%u,%u", i, row.indices[k]);
            const int32_t *shift = row.shifts ? row.shifts + 3 * (size_t)k : NULL;
            if (shift) fprintf(stream, ",%d,%d,%d", (int)shift[0], (int)shift[1], (int)shift[2]);
            putc('\n', stream);
        }
    }
}

static void put_bytes(unsigned char *bytes, uint64_t value, size_t size)
{
    for (size_t k = 0; k < size; ++k) bytes[k] = (unsigned char)(value >> (8 * k));
}

// A pair, as wide as its type: uint32, or int64 where there are shifts, which may be negative. @return its bytes
static size_t fill_pair(unsigned char bytes[40], const mote_row *row, uint32_t k)
{
    const size_t size = row->shifts ? 8 : 4;
    put_bytes(bytes, row->index, size);
    put_bytes(bytes + size, row->indices[k], size);
    if (!row->shifts) return 2 * size;
    for (size_t axis = 0; axis < 3; ++axis)
        put_bytes(bytes + (2 + axis) * size, (uint64_t)(int64_t)row->shifts[3 * (size_t)k + axis], size);
    return 5 * size;
}

// The header ends with a line end at a multiple of 64 bytes.
static void write_npy(FILE *stream, const mote_lists *lists)
{
    char header[118];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu, %d), }",
                          lists->shifts ? "<i8" : "<u4", (unsigned long long)lists->total, lists->shifts ? 5 : 2);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[sizeof header - 1] = '\n';
    const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header, 0};
    fwrite(magic, 1, sizeof magic, stream);
    fwrite(header, 1, sizeof header, stream);
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) {
            unsigned char pair[40];
            fwrite(pair, 1, fill_pair(pair, &row, k), stream);
        }
    }
}

int app_found_write(const app_found *self, const char *path)
{
    app_file file;
    errno = 0;
    bool whole = app_file_create(&file, path);
    if (whole) {
        if (app_ends_with(path, ".csv"))
            write_csv(file.stream, &self->lists);
        else
            write_npy(file.stream, &self->lists);
        whole = app_file_commit(&file);
    }
    if (whole) return APP_DONE;
    app_complain("mote neighbors: %s cannot be written: %s", path, errno ? strerror(errno) : "out of memory");
    return APP_FAILED;
}
