// SPDX-License-Identifier: MIT
// What a run tells on the terminal: what is to come, and at the end what became of it.

#include <math.h>

#include "run.h"

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
    if (derived->grains)
        printf("%zu grain%s, %zu removed, ", derived->grains, app_plural(derived->grains), derived->grains_removed);
    if (derived->particles || !derived->grains)
        printf("%zu particle%s, %zu wall particle%s, %zu removed, ", derived->particles,
               app_plural(derived->particles), derived->wall_particles, app_plural(derived->wall_particles),
               derived->removed);
    printf("about %.0f steps to come\n", derived->steps * self->end_time / file->settings->end_time);
    if (derived->grains > 1) printf("grains meet walls and solids, and pass through each other\n");
    if (file->proxy && file->cache.path) {
        printf("proxy read from ");
        app_text_put(stdout, file->cache.path);
        printf("\n");
    } else if (file->proxy) printf("proxy built in %.3g s\n", file->proxy_seconds);
    if (self->frames.render && self->frames.video.is_slowed)
        printf("video in slow motion, %s: each frame is shown, and no more than 60 in a second\n",
               self->frames.video.words);
    fflush(stdout);
}

static void print_checks(const app_running *self)
{
    const app_report *report = &self->report;
    double speed = 0, mean = 0, energy = -INFINITY;
    const mote_fluid_totals *first = &report->records[0].totals;
    double start = first->kinetic_energy + first->potential_energy;
    for (size_t i = 0; i < report->record_count; ++i) {
        const mote_fluid_totals *totals = &report->records[i].totals;
        speed = fmax(speed, totals->max_speed);
        mean = fmax(mean, totals->mean_compression);
        energy = fmax(energy, totals->kinetic_energy + totals->potential_energy - start);
    }
    printf("  checks     %sno particle inside a solid or beyond a wall%s; mean compression at most %.2f %%; ",
           self->progress.style.green, self->progress.style.reset, 100 * mean);
    if (report->derived.reference_speed > 0)
        printf("speed at most %.2f sqrt(gH); ", speed / report->derived.reference_speed);
    printf("energy at most %+.2f %% of its start\n", start > 0 ? 100 * energy / start : 0);
}

static void print_grains(const app_running *self)
{
    const mote_grains *grains = mote_simulation_grains(self->file.simulation);
    if (!grains) return;
    const mote_grains_counters stats = mote_grains_get_counters(grains);
    const bool by_proxy = self->file.settings->simulation.grains.collision == MOTE_GRAINS_PROXY;
    printf("  grains     %zu, %llu steps, %llu collisions, none beyond a wall; %s of %.2f MB\n",
           mote_grains_get_view(grains).count, (unsigned long long)stats.steps, (unsigned long long)stats.bounces,
           by_proxy ? "a proxy" : "an exact structure", 1e-6 * (double)stats.collider_bytes);
}

void app_run_print_summary(const app_running *self, const char *no_video)
{
    const app_report *report = &self->report;
    const app_style *style = &self->progress.style;
    const mote_fluid_counters *counters = &report->counters;
    double solving = fmax(counters->total_seconds, 1e-9);
    char duration[32];
    app_duration_text(report->seconds, duration, sizeof duration);
    printf("%sdone%s in %s: %d frame%s", style->bold, style->reset, duration, self->frame_count,
           app_plural((uint64_t)self->frame_count));
    const bool is_wet = report->derived.particles > 0 || !report->derived.grains;
    if (is_wet)
        printf(", %llu step%s of %zu particle%s, %.2f M particle-steps/s, %.0f %% of the time in neighbour search",
               (unsigned long long)counters->steps, app_plural(counters->steps), report->derived.particles,
               app_plural(report->derived.particles), 1e-6 * (double)counters->particle_steps / solving,
               100 * counters->search_seconds / solving);
    printf("\n");
    print_grains(self);
    if (is_wet) print_checks(self);
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
    if (is_wet) app_run_print_made(self, "ParaView", "particles", ".pvd\n");
    if (report->derived.grains) app_run_print_made(self, is_wet ? "" : "ParaView", "grains", ".pvd\n");
    app_run_print_made(self, "report", "run", ".json\n");
}
