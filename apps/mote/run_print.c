// SPDX-License-Identifier: MIT
// The output of a run on the terminal: its settings at the start, and its results at the end.

#include <math.h>
#include <string.h>

#include "run.h"

static const double small_compression = 0.01;  // that the derived speed of sound aims at

void app_run_print_made(const app_running *self, const char *label, const char *name, const char *ending)
{
    printf("  %-10s ", label);
    app_text_put(stdout, self->folder);
    printf("/");
    app_text_put(stdout, name);
    printf("%s", ending);
}

void app_run_print_beginning(const app_running *self)
{
    const app_scene_file *file = &self->file;
    const app_derived *derived = &self->report.derived;
    app_text_put(stdout, file->name);
    printf(": ");
    app_quantities_print_counts(&derived->quantities, true);
    printf(", ");
    printf("about %.0f steps to come\n", derived->steps * self->end_time / file->settings->end_time);
    if (self->from_wish) app_from_print(self);
    for (size_t k = 0; k < mote_simulation_object_count(file->simulation); ++k) {
        mote_object_view view;
        if (mote_simulation_get_object(file->simulation, k, &view, NULL) == MOTE_OK && view.remark)
            printf("%s\n", view.remark);
    }
    if (file->proxy && file->cache.path) {
        printf("proxy read from ");
        app_text_put(stdout, file->cache.path);
        printf("\n");
    } else if (file->proxy) printf("proxy built in %.3g s\n", file->proxy_seconds);
    if (file->fields.wanted > 0)
        printf("fields of solids: %u read from the cache, %u built\n", file->fields.wanted - file->fields.built,
               file->fields.built);
    if (self->frames.render && self->frames.video.is_slowed)
        printf("video in slow motion, %s: each frame is shown, and no more than 60 in a second\n",
               self->frames.video.words);
    fflush(stdout);
}

// Whether a tank gives energy to the fluid: it moves, or one of its sides does, also along itself.
static bool tank_moves(const mote_tank_def *tank)
{
    bool moves = mote_motion_is_set(&tank->motion);
    for (int k = 0; k < 6; ++k) {
        const mote_piston *piston = &tank->pistons[k];
        const mote_belt *belt = &tank->belts[k];
        const mote_vec3 v = belt->velocity;
        moves = moves || piston->text || piston->way != 0 || belt->text[0] || belt->text[1] || belt->text[2] ||
                v.x != 0 || v.y != 0 || v.z != 0;
    }
    return moves;
}

// Whether a box is periodic along gravity: whoever falls out of it comes in again above.
static bool falls_forever(const mote_simulation_def *def)
{
    const mote_period_def *box = &def->periodic;
    const mote_vec3 g = def->fluid.gravity;
    return def->has_periodic && ((box->x && g.x != 0) || (box->y && g.y != 0) || (box->z && g.z != 0));
}

// Whether the fluid has energy at the start that may turn into kinetic energy and is not counted: of tensions, or of a
// pressure that is not that of water at rest.
static bool is_tense(const mote_simulation_def *def)
{
    bool is_pressed = false;
    for (size_t k = 0; k < def->block_count; ++k) {
        const char *pressure = def->blocks[k].pressure;
        is_pressed = is_pressed || (pressure && strcmp(pressure, "hydrostatic") != 0);
    }
    return is_pressed || def->tension_count > 0;
}

// Whether the kinetic and potential energy of all particles can only fall: none come in or go out, no wall moves,
// gravity stays the same, and no other energy turns into it.
static bool keeps_energy(const mote_simulation_def *def)
{
    bool is_moved = def->has_tank && tank_moves(&def->tank);
    for (int k = 0; k < 3; ++k) is_moved = is_moved || def->fluid.gravity_text[k];
    for (size_t k = 0; k < def->solid_count; ++k) is_moved = is_moved || mote_motion_is_set(&def->solids[k].motion);
    const size_t openings = def->inlet_count + def->outlet_count + def->drain_count;
    return !is_moved && !falls_forever(def) && !is_tense(def) && openings == 0;
}

static void print_checks(const app_running *self)
{
    const app_report *report = &self->report;
    double energy = -INFINITY, start = NAN;
    for (size_t i = 0; i < report->record_count; ++i) {
        const app_quantities *told = &report->records[i].quantities;
        const double now = app_quantities_sum(told, "kinetic_energy") + app_quantities_sum(told, "potential_energy");
        if (isnan(start)) start = now;
        energy = fmax(energy, now - start);
    }
    printf("  checks     %sno particle inside a solid or beyond a wall%s", self->progress.style.green,
           self->progress.style.reset);
    app_records_print_largest(report->records, report->record_count);
    if (start > 0 && keeps_energy(&report->resolved))
        printf("; energy at most %+.2f %% of its start", 100 * energy / start);
    printf("\n");
}

// "Mach number at most 0.26, density at most 8.2 % above the rest density: "sound_speed": 256 (now 31.3) would keep
// it under 1 %"
static void print_peaks(const app_running *self, const app_quantities *told)
{
    const double compression = app_quantities_sum(told, "peak_compression");
    const double now = self->report.resolved.phase.sound_speed;
    printf("Mach number at most %.3g, density at most %.3g %% above the rest density",
           app_quantities_sum(told, "peak_mach"), 100 * compression);
    if (compression > small_compression)
        printf("; \"sound_speed\": %.3g would keep it under 1 %% (now %.3g)",
               app_quantities_sum(told, "needed_sound_speed"), now);
    printf("\n");
}

void app_run_print_compression(app_running *self)
{
    const app_record *records = self->report.records;
    const size_t count = self->report.record_count;
    const double now = app_quantities_sum(&records[count - 1].quantities, "peak_compression");
    const double before = count > 1 ? app_quantities_sum(&records[count - 2].quantities, "peak_compression") : 0;
    if (self->quiet || !(now > small_compression && before <= small_compression)) return;
    app_progress_clear(&self->progress);
    printf("note: at t = %.3g s: ", records[count - 1].time);
    print_peaks(self, &records[count - 1].quantities);
    fflush(stdout);
}

static void print_gauges(const app_running *self, const char *no_plot)
{
    const app_style *style = &self->progress.style;
    app_run_print_made(self, "gauges", "gauges", ".csv");
    if (no_plot) printf("  %s(no plot: %s)%s\n", style->dim, no_plot, style->reset);
    else printf("\n"), app_run_print_made(self, "plot", "gauges", ".png\n");
}

void app_run_print_summary(const app_running *self, const char *no_video, const char *no_plot)
{
    const app_report *report = &self->report;
    const app_style *style = &self->progress.style;
    const mote_simulation_counters *counters = &report->counters;
    double solving = fmax(counters->total_seconds, 1e-9);
    char duration[32];
    app_duration_text(report->seconds, duration, sizeof duration);
    printf("%sdone%s in %s: %d frame%s", style->bold, style->reset, duration, self->frame_count,
           app_plural((uint64_t)self->frame_count));
    printf(", %llu step%s, %.2f M particle-steps/s", (unsigned long long)counters->steps, app_plural(counters->steps),
           1e-6 * (double)counters->particle_steps / solving);
    if (counters->search_seconds > 0)
        printf(", %.0f %% of the time in neighbour search", 100 * counters->search_seconds / solving);
    printf("\n  at end     ");
    app_quantities_print_counts(&report->records[report->record_count - 1].quantities, false);
    printf("\n");
    print_checks(self);
    const app_quantities *last = &report->records[report->record_count - 1].quantities;
    if (!isnan(app_quantities_sum(last, "peak_mach"))) printf("  sound      "), print_peaks(self, last);
    if (self->frames.render) {
        app_run_print_made(self, "pictures", "frames", "/0000.png");
        printf(" … %04d.png  %s(%s)%s\n", self->frame_count - 1, style->dim, report->pictures, style->reset);
    }
    if (self->frames.render && no_video) printf("  video      none: %s\n", no_video);
    else if (self->frames.render) {
        app_run_print_made(self, "video", self->file.name, ".mp4");
        const app_video *video = &self->frames.video;
        printf("  %s(%s, %.4g frames/s)%s\n", style->dim, video->words, video->rate, style->reset);
    }
    if (self->gauges.count > 0) print_gauges(self, no_plot);
    const char *label = "ParaView";
    for (size_t k = 0; k < self->frames.object_count; ++k) {
        if (self->frames.objects[k].is_fixed) continue;
        app_run_print_made(self, label, self->frames.objects[k].name, ".pvd\n");
        label = "";
    }
    if (app_frames_write_surfaces(&self->frames)) app_run_print_made(self, label, "surface", ".pvd\n");
    app_run_print_made(self, "report", "run", ".json\n");
}
