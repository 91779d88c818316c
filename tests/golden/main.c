// SPDX-License-Identifier: MIT
// golden: prints checksums of rows, pairs, hits, closest points, proxies, raster pairs and elementary functions.
// tests/golden/values.txt has what they must be.
// usage: golden THREADS       MOTE_SIMD=plain, avx2, avx512 or simd128 in the environment says whose loops run
// exit status: 77 if this processor or this build does not have them

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The form named in the environment; the best if none is.
static mote_simd wanted_simd(void)
{
    const char *wanted = getenv("MOTE_SIMD");
    for (mote_simd form = MOTE_SIMD_BEST; wanted && form <= MOTE_SIMD_128; ++form)
        if (strcmp(wanted, mote_simd_name(form)) == 0) return form;
    if (wanted) fprintf(stderr, "golden: MOTE_SIMD is %s, expected plain, avx2, avx512 or simd128\n", wanted), exit(2);
    return MOTE_SIMD_BEST;
}

int main(int argc, char **argv)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    if (def.thread_count == 0) {
        fprintf(stderr, "usage: golden THREADS\n");
        return 2;
    }
    def.simd = wanted_simd();
    mote_context *context;
    const mote_result result = mote_context_create(&def, &context, NULL);
    if (result != MOTE_OK) return result == MOTE_ERROR_UNSUPPORTED ? 77 : 1;
    const bool done = golden_rows(context) && golden_pairs(context) && golden_hits(context) &&
                      golden_proxies(context) && golden_rasters(context) && golden_functions(context);
    mote_context_destroy(context);
    return done ? 0 : 1;
}
