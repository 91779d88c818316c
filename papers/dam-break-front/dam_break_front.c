// SPDX-License-Identifier: MIT
// The front of a breaking dam: how fast it runs over a dry bed, beside Martin & Moyce 1952 and Koshizuka & Oka 1996.
//
// A column of water, a wide and 2a high, stands at the closed end of a bed and is let go, in 2D, with free slip at the
// bed. The front is the rightmost particle lower than 3 d, plus d/2. With Z = front/a and T = t sqrt(2g/a),
// as Martin & Moyce have them for n² = 2, Ritter's bound (front no faster than 2 sqrt(gH), H = 2a) reads Z ≤ 1 + 2T.
// A curve is summed up by its least-squares line Z(T): the slope, and the T at which that line is at Z = 3; the lead is
// how much earlier than in a measurement that is. Both are taken over the Z that both curves have, within 2 ≤ Z ≤ 6.
//
// For every resolution named (a/d) the curve goes to DIR/front.csv, how much earlier it is than each measured point to
// DIR/lead.csv, and the numbers to DIR/table.md.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mote/simulation.h"

enum { MAX_CURVES = 16, MAX_SAMPLES = 400 };

static const double column_width = 0.05715;  // a = 2.25 in, the larger column of Martin & Moyce [m]
static const double bed_length = 10;         // in units of a: the front is followed to last_z only
static const double sampling = 0.025;        // in T
static const double fit_min_z = 2, fit_max_z = 6, last_z = 7, mark_z = 3;
static const double speed_window = 0.25;     // in T: what the front's speed is a mean over

typedef struct curve {
    char name[64];
    int cells;         // a/d; 0 for a measurement
    size_t particles;  // and steps taken, of a simulation
    uint64_t steps;
    double energy_gain;  // greatest, as a share of the energy at the start
    mote_fluid_def fluid;  // as resolved
    mote_phase_def phase;  // behind it, as in the def of a simulation
    size_t count;
    double t[MAX_SAMPLES], z[MAX_SAMPLES];
    bool lone[MAX_SAMPLES];  // the front is a single particle that has left the water
} curve;

typedef struct options {
    const char *out, *references;  // NULL: none
    double slope_min, slope_max;   // what --check demands; NaN: nothing
    uint32_t threads;
    mote_fluid_def fluid;
    mote_phase_def phase;  // behind it
    int cells[MAX_CURVES];
    size_t cell_count;
} options;

// ------------------------------------------------------------------------------------------------ simulation

// The front, and whether the particle that makes it has left the water: no other within the support h.
static double front_of(const mote_fluid_view *view, const mote_fluid_def *fluid, bool *lone)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < view->count; ++i)
        if (view->z[i] < 3 * fluid->spacing && (first == SIZE_MAX || view->x[i] > view->x[first])) first = i;
    *lone = true;
    if (first == SIZE_MAX) return 0;
    for (size_t i = 0; i < view->count; ++i) {
        double dx = view->x[i] - view->x[first], dz = view->z[i] - view->z[first];
        if (i != first && dx * dx + dz * dz <= fluid->support * fluid->support) *lone = false;
    }
    return view->x[first] + fluid->spacing / 2;
}

static mote_result make_dam(const options *chosen, mote_context *context, int cells, mote_simulation **dam,
                            mote_error *error)
{
    const double a = column_width;
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid = chosen->fluid;
    def.phase = chosen->phase;
    def.fluid.spacing = a / cells;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0};
    def.tank.max = (mote_vec3){bed_length * a, 0, 4 * a};
    def.tank.open_x_max = def.tank.open_z_max = true;
    def.tank.restitution = def.tank.friction = 0;
    mote_block_def column = {.max = {a, 0, 2 * a}};
    def.blocks = &column;
    def.block_count = 1;
    return mote_simulation_create(context, &def, dam, error);
}

static mote_result energy_of(mote_fluid *fluid, double *energy, mote_error *error)
{
    mote_fluid_totals totals;
    mote_result result = mote_fluid_get_totals(fluid, &totals, error);
    if (result == MOTE_OK) *energy = totals.kinetic_energy + totals.potential_energy;
    return result;
}

// Follows the front to last_z, in steps of `sampling`.
static mote_result follow_front(mote_simulation *dam, curve *front, mote_error *error)
{
    mote_fluid *fluid = mote_simulation_fluid(dam);
    const double second = sqrt(2 * -mote_fluid_resolved_def(fluid).gravity.z / column_width);  // in T
    double first_energy = 0, energy = 0;
    mote_result result = energy_of(fluid, &first_energy, error);
    front->energy_gain = 0;
    front->fluid = mote_fluid_resolved_def(fluid);
    front->phase = mote_fluid_resolved_phase(fluid, 0);
    for (front->count = 0; result == MOTE_OK && front->count < MAX_SAMPLES; ++front->count) {
        mote_fluid_view view;
        double t = sampling * (double)front->count;
        result = mote_simulation_run_until(dam, t / second, NULL, NULL, error);
        if (result == MOTE_OK) result = mote_fluid_get_view(fluid, &view, error);
        if (result == MOTE_OK) result = energy_of(fluid, &energy, error);
        if (result != MOTE_OK) break;
        front->energy_gain = fmax(front->energy_gain, energy / first_energy - 1);
        double z = front_of(&view, &front->fluid, &front->lone[front->count]) / column_width;
        if (z > last_z) break;
        front->t[front->count] = t;
        front->z[front->count] = z;
        front->particles = view.count;
    }
    front->steps = mote_fluid_get_counters(fluid).steps;
    return result;
}

static bool simulate(const options *chosen, mote_context *context, int cells, curve *front)
{
    mote_simulation *dam = NULL;
    mote_error error;
    snprintf(front->name, sizeof front->name, "mote, a/d = %d", cells);
    front->cells = cells;
    mote_result result = make_dam(chosen, context, cells, &dam, &error);
    if (result == MOTE_OK) result = follow_front(dam, front, &error);
    if (result != MOTE_OK)
        fprintf(stderr, "dam_break_front: a/d = %d: %s (%s)\n", cells, error.text, mote_result_text(result));
    else
        fprintf(stderr, "a/d = %d: %zu particles, %llu steps, %.1f s\n", cells, front->particles,
                (unsigned long long)front->steps, mote_fluid_get_counters(mote_simulation_fluid(dam)).total_seconds);
    mote_simulation_destroy(dam);
    return result == MOTE_OK;
}

// ---------------------------------------------------------------------------------------------- measurements

// Files of T and Z; the first line is "# name", lines that begin with # are comments.
static bool read_curve(const char *folder, const char *file, curve *measured)
{
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "r");
    if (!stream) {
        fprintf(stderr, "dam_break_front: %s cannot be opened\n", path);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, stream)) {
        if (line[0] == '#') {
            if (!measured->name[0]) sscanf(line, "# %63[^\n]", measured->name);
            continue;
        }
        good = measured->count < MAX_SAMPLES && sscanf(line, "%lf %lf", &measured->t[measured->count],
                                                       &measured->z[measured->count]) == 2;
        measured->count += good;
    }
    fclose(stream);
    if (!good) fprintf(stderr, "dam_break_front: %s: '%s', expected T and Z\n", path, line);
    return good;
}

// -------------------------------------------------------------------------------------------------- analysis

typedef struct line_fit {
    size_t count;
    double slope;    // dZ/dT
    double mark;     // T at Z = mark_z
} line_fit;

static line_fit fit_line(const curve *points, double min_z, double max_z)
{
    double n = 0, mean_t = 0, mean_z = 0, tt = 0, tz = 0;
    for (size_t k = 0; k < points->count; ++k)
        if (points->z[k] >= min_z && points->z[k] <= max_z) n += 1, mean_t += points->t[k], mean_z += points->z[k];
    mean_t /= n, mean_z /= n;
    for (size_t k = 0; k < points->count; ++k)
        if (points->z[k] >= min_z && points->z[k] <= max_z) {
            tt += (points->t[k] - mean_t) * (points->t[k] - mean_t);
            tz += (points->t[k] - mean_t) * (points->z[k] - mean_z);
        }
    double slope = tz / tt;
    return (line_fit){(size_t)n, slope, mean_t + (mark_z - mean_z) / slope};
}

// The front's greatest speed, as a share of Ritter's.
static double greatest_speed(const curve *front)
{
    size_t window = (size_t)(speed_window / sampling + 0.5);
    double greatest = 0;
    for (size_t k = window; k < front->count; ++k) {
        double speed = (front->z[k] - front->z[k - window]) / (front->t[k] - front->t[k - window]);
        if (speed > greatest) greatest = speed;
    }
    return greatest / 2;
}

// The greatest share that the front has of Ritter's way, 2T.
static double greatest_way(const curve *front)
{
    double greatest = 0;
    for (size_t k = 1; k < front->count; ++k) greatest = fmax(greatest, (front->z[k] - 1) / (2 * front->t[k]));
    return greatest;
}

// The share of 2 ≤ Z ≤ 6 in which the front is a lone particle.
static double lone_share(const curve *front)
{
    double all = 0, lone = 0;
    for (size_t k = 0; k < front->count; ++k)
        if (front->z[k] >= fit_min_z && front->z[k] <= fit_max_z) all += 1, lone += front->lone[k];
    return lone / all;
}

// When the front first is at z: NaN if never.
static double arrival(const curve *front, double z)
{
    for (size_t k = 1; k < front->count; ++k)
        if (front->z[k] >= z) {
            double rise = front->z[k] - front->z[k - 1];
            return front->t[k] - (front->z[k] - z) / rise * (front->t[k] - front->t[k - 1]);
        }
    return NAN;
}

// ---------------------------------------------------------------------------------------------------- output

static FILE *open_in(const char *folder, const char *file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "w");
    if (!stream) fprintf(stderr, "dam_break_front: %s cannot be written\n", path);
    return stream;
}

static bool close_whole(FILE *stream, const char *file)
{
    bool good = !ferror(stream);
    if (fclose(stream) != 0) good = false;
    if (!good) fprintf(stderr, "dam_break_front: %s could not be written\n", file);
    return good;
}

static bool write_curves(const char *folder, const curve *fronts, size_t count)
{
    FILE *stream = open_in(folder, "front.csv");
    if (!stream) return false;
    fprintf(stream, "a/d,T = t sqrt(2g/a),Z = front/a\n");
    for (size_t c = 0; c < count; ++c)
        for (size_t k = 0; k < fronts[c].count; ++k)
            fprintf(stream, "%d,%.3f,%.4f\n", fronts[c].cells, fronts[c].t[k], fronts[c].z[k]);
    return close_whole(stream, "front.csv");
}

static bool write_leads(const char *folder, const curve *measured, size_t measured_count, const curve *fronts,
                        size_t count)
{
    FILE *stream = open_in(folder, "lead.csv");
    if (!stream) return false;
    fprintf(stream, "measurement,a/d,Z = front/a,lead in T\n");
    for (size_t m = 0; m < measured_count; ++m)
        for (size_t c = 0; c < count; ++c)
            for (size_t k = 0; k < measured[m].count; ++k) {
                double lead = measured[m].t[k] - arrival(&fronts[c], measured[m].z[k]);
                if (measured[m].z[k] > 1 && !isnan(lead))
                    fprintf(stream, "%zu,%d,%.3f,%.3f\n", m + 1, fronts[c].cells, measured[m].z[k], lead);
            }
    return close_whole(stream, "lead.csv");
}

static void write_resolutions(FILE *stream, const curve *fronts, size_t count)
{
    fprintf(stream, "| a/d | particles | steps | slope dZ/dT | T at Z = 3 | greatest speed / 2 sqrt(gH) "
                    "| greatest (Z − 1)/2T | energy gained at most | front a lone particle |\n"
                    "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t c = 0; c < count; ++c) {
        line_fit fit = fit_line(&fronts[c], fit_min_z, fit_max_z);
        fprintf(stream, "| %d | %zu | %llu | %.3f | %.3f | %.3f | %.3f | %.2f %% | %.0f %% |\n", fronts[c].cells,
                fronts[c].particles, (unsigned long long)fronts[c].steps, fit.slope, fit.mark,
                greatest_speed(&fronts[c]), greatest_way(&fronts[c]), 100 * fronts[c].energy_gain,
                100 * lone_share(&fronts[c]));
    }
    if (count < 2) return;
    line_fit coarse = fit_line(&fronts[count - 2], fit_min_z, fit_max_z);
    line_fit fine = fit_line(&fronts[count - 1], fit_min_z, fit_max_z);
    fprintf(stream, "| change, last two | | | %+.1f %% | %+.1f %% | | | | |\n", 100 * (fine.slope / coarse.slope - 1),
            100 * (fine.mark / coarse.mark - 1));
}

// Each measurement beside each resolution, over the Z that both have.
static void write_comparison(FILE *stream, const curve *measured, size_t measured_count, const curve *fronts,
                             size_t count)
{
    fprintf(stream, "\n| measured | 2 ≤ Z ≤ | points | slope | T at Z = 3 |");
    for (size_t c = 0; c < count; ++c) fprintf(stream, " a/d = %d: slope; lead in T |", fronts[c].cells);
    fprintf(stream, "\n|---|---|---|---|---|");
    for (size_t c = 0; c < count; ++c) fprintf(stream, "---|");
    for (size_t m = 0; m < measured_count; ++m) {
        double max_z = fmin(fit_max_z, measured[m].z[measured[m].count - 1]);
        line_fit theirs = fit_line(&measured[m], fit_min_z, max_z);
        fprintf(stream, "\n| %s | %.2f | %zu | %.3f | %.3f |", measured[m].name, max_z, theirs.count, theirs.slope,
                theirs.mark);
        for (size_t c = 0; c < count; ++c) {
            line_fit ours = fit_line(&fronts[c], fit_min_z, max_z);
            fprintf(stream, " %.3f (%+.1f %%); %.3f |", ours.slope, 100 * (ours.slope / theirs.slope - 1),
                    theirs.mark - ours.mark);
        }
    }
    fprintf(stream, "\n");
}

// The fields of the scene's part "fluid", whose structs stand one behind the other.
static const mote_field_table *fluid_fields(void)
{
    return mote_simulation_part_at(0)->fields();
}

// All fields of the last run's fluid, derived ones as they came out.
static void write_parameters(FILE *stream, const curve *front)
{
    const mote_field_table *table = fluid_fields();
    fprintf(stream, "\nFluid at a/d = %d:", front->cells);
    for (size_t k = 0; k < table->count; ++k) {
        char value[128];
        mote_field_value_text(&table->fields[k], &front->fluid, value, sizeof value);
        const char *unit = table->fields[k].unit ? table->fields[k].unit : "";
        fprintf(stream, "%s\n%s %s%s%s", k ? "," : "", table->fields[k].name, value, *unit ? " " : "", unit);
    }
    fprintf(stream, ".\n");
}

// ------------------------------------------------------------------------------------------------ the program

static const char usage[] =
    "usage: dam_break_front [OPTION]... [FIELD=VALUE]... CELLS...\n"
    "Runs a breaking dam for each CELLS, the column's width in particles, and prints slope and lead of its front.\n"
    "  --out DIR          write front.csv, lead.csv and table.md there\n"
    "  --references DIR   compare with the measurements there\n"
    "  --check MIN MAX    exit with 1 unless slopes lie between and fronts are slower than Ritter's\n"
    "  --threads N        threads to use; 0, the default: as many as there are processors\n"
    "  FIELD=VALUE        a number or choice of the fluid, such as viscosity_alpha=0.2 (mote scene --help names all)\n";

static bool set_field(options *chosen, const char *text)
{
    char name[64] = "", end;
    const char *value = strchr(text, '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - text - 1), text);
    const mote_field *field = mote_fields_find(fluid_fields(), name);
    if (!field) return false;
    void *member = (char *)chosen + offsetof(options, fluid) + field->offset;
    double number;
    if (field->type == MOTE_FIELD_CHOICE) {
        for (int32_t k = 0; field->choices[k]; ++k)
            if (strcmp(field->choices[k], value) == 0) return *(int32_t *)member = k, true;
        return false;
    }
    if (sscanf(value, "%lf%c", &number, &end) != 1) return false;
    if (field->type == MOTE_FIELD_NUMBER) *(double *)member = number;
    else if (field->type == MOTE_FIELD_INT) *(int32_t *)member = (int32_t)number;
    else if (field->type == MOTE_FIELD_BOOL) *(bool *)member = number != 0;
    else return false;
    return mote_field_is_valid(field, (char *)member - field->offset);
}

static bool read_number(const char *text, double *number)
{
    char end;
    return text && sscanf(text, "%lf%c", number, &end) == 1;
}

static bool read_arguments(int count, char **arguments, options *chosen)
{
    for (int k = 1; k < count; ++k) {
        const char *word = arguments[k], *next = k + 1 < count ? arguments[k + 1] : NULL;
        double number = NAN;
        bool good = true;
        if (strcmp(word, "--out") == 0) good = (chosen->out = next) != NULL, ++k;
        else if (strcmp(word, "--references") == 0) good = (chosen->references = next) != NULL, ++k;
        else if (strcmp(word, "--check") == 0) {
            good = read_number(next, &chosen->slope_min) && k + 2 < count &&
                   read_number(arguments[k + 2], &chosen->slope_max);
            k += 2;
        } else if (strcmp(word, "--threads") == 0) {
            good = read_number(next, &number) && number >= 0 && number <= 1024;
            if (good) chosen->threads = (uint32_t)number;
            ++k;
        } else if (strchr(word, '=')) good = set_field(chosen, word);
        else {
            good = read_number(word, &number) && number >= 4 && number <= 10000 && chosen->cell_count < MAX_CURVES;
            if (good) chosen->cells[chosen->cell_count++] = (int)number;
        }
        if (!good) {
            fprintf(stderr, "dam_break_front: '%s' is not understood\n%s", word, usage);
            return false;
        }
    }
    if (chosen->cell_count == 0) fputs(usage, stderr);
    return chosen->cell_count > 0;
}

static bool report(const options *chosen, const curve *fronts)
{
    static const char *const files[] = {"martin_moyce_1952_a2.25in.dat", "martin_moyce_1952_a1.125in.dat",
                                        "koshizuka_oka_1996.dat", "koshizuka_oka_1996_second.dat"};
    enum { FILES = sizeof files / sizeof files[0] };
    static curve measured[FILES];
    if (chosen->references)
        for (size_t m = 0; m < FILES; ++m)
            if (!read_curve(chosen->references, files[m], &measured[m])) return false;
    FILE *stream = chosen->out ? open_in(chosen->out, "table.md") : stdout;
    if (!stream) return false;
    write_resolutions(stream, fronts, chosen->cell_count);
    if (chosen->references) write_comparison(stream, measured, FILES, fronts, chosen->cell_count);
    write_parameters(stream, &fronts[chosen->cell_count - 1]);
    if (!chosen->out) return true;
    return close_whole(stream, "table.md") && write_curves(chosen->out, fronts, chosen->cell_count) &&
           write_leads(chosen->out, measured, chosen->references ? FILES : 0, fronts, chosen->cell_count);
}

static bool slopes_are_right(const options *chosen, const curve *fronts)
{
    bool good = true;
    for (size_t c = 0; c < chosen->cell_count; ++c) {
        double slope = fit_line(&fronts[c], fit_min_z, fit_max_z).slope;
        double bound = fmax(greatest_speed(&fronts[c]), greatest_way(&fronts[c]));
        if (slope >= chosen->slope_min && slope <= chosen->slope_max && bound <= 1) continue;
        fprintf(stderr, "dam_break_front: %s: slope %g, expected %g to %g; %g of Ritter's speed, expected at most 1\n",
                fronts[c].name, slope, chosen->slope_min, chosen->slope_max, bound);
        good = false;
    }
    return good;
}

int main(int count, char **arguments)
{
    static curve fronts[MAX_CURVES];
    options chosen = {.slope_min = NAN, .slope_max = NAN, .fluid = mote_fluid_default_def(),
                      .phase = mote_phase_default_def()};
    chosen.fluid.dimensions = 2;
    if (!read_arguments(count, arguments, &chosen)) return 2;
    mote_context_def def = mote_context_default_def();
    def.thread_count = chosen.threads;
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return 1;
    bool good = true;
    for (size_t c = 0; good && c < chosen.cell_count; ++c)
        good = simulate(&chosen, context, chosen.cells[c], &fronts[c]);
    mote_context_destroy(context);
    good = good && report(&chosen, fronts);
    if (good && !isnan(chosen.slope_min)) good = slopes_are_right(&chosen, fronts);
    return good ? 0 : 1;
}
