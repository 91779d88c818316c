// SPDX-License-Identifier: MIT
// The box of --periodic: LX,LY,LZ or MIN:MAX per axis, "-" for an open one, or the box that the file contains.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "neighbors.h"

static const char *const forms[4] = {"", "LX", "LX,LY", "LX,LY,LZ"};

// Reads a number that ends at `end`; strtod accepts more than numbers, but only finite ones are allowed.
static bool read_number(const char *text, const char *end, double *value)
{
    char *stop;
    *value = strtod(text, &stop);
    return stop == end && stop > text && isfinite(*value);
}

// Reads "-", "L" or "MIN:MAX", up to `end`. @return false: it is none of them, or the box has no length there
static bool read_axis(const char *text, const char *end, double *low, double *length)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    double high;
    *low = *length = 0;
    if (end - text == 1 && *text == '-') return true;
    if (!colon) return read_number(text, end, length) && *length > 0;
    if (!read_number(text, colon, low) || !read_number(colon + 1, end, &high)) return false;
    *length = high - *low;
    return *length > 0 && isfinite(*length);
}

static int refuse_text(const app_found *self, const char *text)
{
    app_complain("mote neighbors: --periodic is %s, expected %s, each a length above 0, MIN:MAX or - for an open "
                 "axis%s", text, forms[self->data.dimensions], self->data.has_box ? ", or file" : "");
    return APP_BAD_INPUT;
}

static int take_text(app_found *self, const char *text)
{
    const char *at = text;
    for (int k = 0; k < 3; ++k) {
        const char *end = at + strcspn(at, ",");
        if (!read_axis(at, end, &self->low[k], &self->length[k])) return refuse_text(self, text);
        const bool is_last = *end == '\0';
        if (is_last && k + 1 < self->data.dimensions) return refuse_text(self, text);
        if (is_last) break;
        at = end + 1;
        if (k == 2) return refuse_text(self, text);
    }
    for (int k = self->data.dimensions; k < 3; ++k)
        if (self->length[k] > 0) {
            app_complain("mote neighbors: --periodic is %s, but the points of %s have no %c, expected %s", text,
                         self->path, "xyz"[k], forms[self->data.dimensions]);
            return APP_BAD_INPUT;
        }
    return APP_DONE;
}

static int take_file(app_found *self)
{
    const mote_point_data *data = &self->data;
    const char *lacks = !data->has_box ? "no box" : !data->has_periods ? "a box without flags (pp, ff, ...)" : NULL;
    if (lacks) {
        app_complain("%s: it has %s, expected one for --periodic file, or --periodic %s", self->path, lacks,
                     forms[data->dimensions]);
        return APP_BAD_INPUT;
    }
    const double low[3] = {data->box.min.x, data->box.min.y, data->box.min.z};
    const double high[3] = {data->box.max.x, data->box.max.y, data->box.max.z};
    for (int k = 0; k < data->dimensions; ++k) {
        self->low[k] = low[k];
        self->length[k] = data->periodic[k] ? high[k] - low[k] : 0;
        if (!data->periodic[k] || self->length[k] > 0) continue;
        app_complain("%s: its box is periodic along %c, but has no length there, expected one above 0", self->path,
                     "xyz"[k]);
        return APP_BAD_INPUT;
    }
    return APP_DONE;
}

int app_found_read_period(app_found *self, const char *text)
{
    if (!text) return APP_DONE;
    const int status = strcmp(text, "file") == 0 ? take_file(self) : take_text(self, text);
    self->is_periodic = status == APP_DONE && (self->length[0] > 0 || self->length[1] > 0 || self->length[2] > 0);
    return status;
}

void app_found_set_period(const app_found *self, mote_neighbors_def *def)
{
    if (!self->is_periodic) return;
    def->features |= MOTE_NEIGHBORS_PERIODIC;
    def->period[0] = (mote_vec3){self->length[0], 0, 0};
    def->period[1] = (mote_vec3){0, self->length[1], 0};
    def->period[2] = (mote_vec3){0, 0, self->length[2]};
    def->period_origin = (mote_vec3){self->low[0], self->low[1], self->low[2]};
}

// A point's own images within the cube that fits into the ball are its neighbours, and there are others besides.
int app_found_check_reach(const app_found *self)
{
    const double bytes = sizeof(uint32_t) + 3 * sizeof(int32_t);  // of a neighbour and its shift
    const double memory = app_memory() ? (double)app_memory() : 1e18;
    double images = 1;
    int axes = 0;
    for (int k = 0; k < 3; ++k) axes += self->length[k] > 0;
    if (!self->is_periodic || self->nearest) return APP_DONE;
    for (int k = 0; k < 3; ++k)
        if (self->length[k] > 0) images *= 2 * floor(self->radius / sqrt(axes) / self->length[k]) + 1;
    if ((images - 1) * bytes * (double)self->data.count <= memory) return APP_DONE;
    app_complain("%s: a radius of %g reaches over so many periods that each of the %zu point%s has more than %.3g "
                 "neighbours: there is no memory for the lists", self->path, self->radius, self->data.count,
                 app_plural(self->data.count), 0.99 * (images - 1));
    return APP_FAILED;
}
