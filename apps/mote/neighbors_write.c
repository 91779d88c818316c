// Rows of neighbours as files: CSV for people, NPY (NumPy's format, version 1.0) for programs.

#include <errno.h>
#include <string.h>

#include "app.h"
#include "neighbors.h"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

int app_found_check_path(const char *path)
{
    if (ends_with(path, ".csv") || ends_with(path, ".npy")) return APP_DONE;
    app_complain("mote neighbors: --lists is %s, expected a name that ends with .csv or .npy", path);
    return APP_BAD_INPUT;
}

static void write_csv(FILE *stream, const mote_lists *lists)
{
    fprintf(stream, "point,neighbor\n");
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) fprintf(stream, "%u,%u\n", i, row.indices[k]);
    }
}

static void put_u32(unsigned char *bytes, uint32_t value)
{
    for (int k = 0; k < 4; ++k) bytes[k] = (unsigned char)(value >> (8 * k));
}

// The header ends with a line end at a multiple of 64 bytes.
static void write_npy(FILE *stream, const mote_lists *lists)
{
    char header[118];
    int length = snprintf(header, sizeof header, "{'descr': '<u4', 'fortran_order': False, 'shape': (%llu, 2), }",
                          (unsigned long long)lists->total);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[sizeof header - 1] = '\n';
    const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header, 0};
    fwrite(magic, 1, sizeof magic, stream);
    fwrite(header, 1, sizeof header, stream);
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) {
            unsigned char pair[8];
            put_u32(pair, i);
            put_u32(pair + 4, row.indices[k]);
            fwrite(pair, 1, sizeof pair, stream);
        }
    }
}

int app_found_write(const app_found *self, const char *path)
{
    app_file file;
    errno = 0;
    bool whole = app_file_create(&file, path);
    if (whole) {
        if (ends_with(path, ".csv"))
            write_csv(file.stream, &self->lists);
        else
            write_npy(file.stream, &self->lists);
        whole = app_file_commit(&file);
    }
    if (whole) return APP_DONE;
    app_complain("mote neighbors: %s cannot be written: %s", path, errno ? strerror(errno) : "out of memory");
    return APP_FAILED;
}
