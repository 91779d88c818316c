// SPDX-License-Identifier: MIT
// golden: prints checksums of rows, pairs, hits, closest points, proxies, raster pairs and elementary functions.
// tests/golden/values.txt has what they must be.
// usage: golden THREADS

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"

void golden_print(const char *what, size_t count, uint64_t sum)
{
    printf("%s: %zu, bits %016" PRIx64 "\n", what, count, sum);
}

bool golden_is_ok(const char *what, mote_result result, const mote_error *error)
{
    if (result == MOTE_OK) return true;
    fprintf(stderr, "golden: %s: %s\n", what, error ? error->text : "failed");
    return false;
}

int main(int argc, char **argv)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (def.thread_count == 0) {
        fprintf(stderr, "usage: golden THREADS\n");
        return 2;
    }
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return 1;
    const bool done = golden_rows(context) && golden_pairs(context) && golden_hits(context) &&
                      golden_proxies(context) && golden_rasters(context) && golden_functions(context);
    mote_context_destroy(context);
    return done ? 0 : 1;
}
