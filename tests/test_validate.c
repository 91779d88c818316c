// SPDX-License-Identifier: MIT
// The exact solutions that mote validate compares with are those of the tables in scenes/validation, which were
// computed elsewhere.

#include "validate_exact.h"
#include "validate_oscillation.h"

#include "support/test.h"

static const double pi = 3.14159265358979323846;

enum { MOST_COLUMNS = 6 };

// Reads the next line with that many numbers. @return false at the end of the file
static bool read_row(FILE *stream, double numbers[MOST_COLUMNS], int columns)
{
    char line[512];
    while (fgets(line, sizeof line, stream)) {
        char *at = line, *end;
        int count = 0;
        for (; count < columns; ++count, at = end) {
            numbers[count] = strtod(at, &end);
            if (end == at) break;
        }
        if (count == columns) return true;
    }
    return false;
}

static FILE *open_table(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, MOTE_SOURCE_DIR "/scenes/validation/%s", name);
    FILE *stream = fopen(path, "r");
    CHECK(stream, "%s cannot be opened", path);
    return stream;
}

static void expect(const char *what, double at, double found, double tabulated, double tolerance)
{
    CHECK(fabs(found - tabulated) <= tolerance, "%s at %g: %.9g, the table has %.9g", what, at, found, tabulated);
}

static void flows_between_plates_are_those_of_the_tables(void **state)
{
    (void)state;
    static const double times[5] = {0.0225, 0.045, 0.1125, 0.225, 1};
    for (int plate = 0; plate < 2; ++plate) {
        double row[MOST_COLUMNS];
        int rows = 0;
        FILE *stream = open_table(plate ? "couette/morris1997.dat" : "poiseuille/morris1997.dat");
        for (; read_row(stream, row, 6); ++rows)
            for (int k = 0; k < 5; ++k) {
                const double y = row[0], t = times[k];
                const double u = plate ? exact_couette(y, t, 1e-3, 1e-6, 1.25e-5)
                                       : exact_poiseuille(y, t, 1e-3, 1e-6, 1e-4);
                expect(plate ? "couette" : "poiseuille", y, u, row[k + 1], 1e-7 * 1.25e-5);
            }
        fclose(stream);
        assert_int_equal(rows, 41);
    }
}

static void vortices_decay_as_the_table_says(void **state)
{
    (void)state;
    double row[MOST_COLUMNS], velocity[2];
    FILE *stream = open_table("taylor-green/exact.dat");
    while (read_row(stream, row, 3)) {
        exact_taylor_green(0, 0.25, row[0], 0.01, velocity);
        expect("greatest speed", row[0], -velocity[0], row[1], 1e-7);
        expect("energy", row[0], exp(2 * exact_taylor_green_rate(0.01) * row[0]), row[2], 1e-7);
    }
    fclose(stream);
}

static void a_patch_becomes_the_ellipse_of_the_table(void **state)
{
    (void)state;
    double row[MOST_COLUMNS], axes[2];
    FILE *stream = open_table("drop/monaghan1994.dat");
    while (read_row(stream, row, 4)) {
        exact_drop(100, row[0], axes);
        expect("axis x", row[0], axes[0], row[1], 1e-7);
        expect("axis z", row[0], axes[1], row[2], 1e-7);
        expect("area", row[0], axes[0] * axes[1], 1, 1e-9);
    }
    fclose(stream);
}

// The leading order of small viscosity is what the tables have; the root is 0.925 and 0.967 of it.
static void waves_fade_more_slowly_than_the_leading_order(void **state)
{
    (void)state;
    static const double shares[2] = {0.925, 0.967};
    for (int k = 0; k < 2; ++k) {
        double row[MOST_COLUMNS], rate = 0;
        const double viscosity = sqrt(9.81) / (k ? 2500 : 500);
        FILE *stream = open_table(k ? "wave/envelope-re2500.dat" : "wave/envelope-re500.dat");
        while (read_row(stream, row, 2))
            if (row[0] > 0) rate = -log(row[1]) / (row[0] / sqrt(9.81));
        fclose(stream);
        const exact_wave wave = exact_standing_wave(9.81, 1, pi, viscosity, 0.05);
        expect("share of the leading order", viscosity, 2 * wave.decay / rate, shares[k], 0.0005);
        expect("frequency", viscosity, wave.frequency, 5.524, 0.0005);
        const exact_wave ideal = exact_standing_wave(9.81, 1, pi, 0, 0);
        expect("frequency of small waves", 0, ideal.frequency, 5.541131, 1e-6);
    }
}

// Where the tank moves little, the elevation is the sum of linear modes: β'' + ω² β = (ω²/g) 4/(L k²) X'', for odd n.
static void a_tank_that_sways_a_little_has_linear_waves(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static double found[COUNT];
    const exact_sway tank = {1.73, 0.6, 9.81, 1e-5, 1.3};
    const double omega = 2 * pi / tank.period, x = 0.05;
    exact_sway_elevation(&tank, x, 0.01, COUNT, found);
    for (int k = 0; k < COUNT; ++k) {
        const double t = 0.01 * (k + 1);
        double sum = 0;
        for (int n = 1; n < 12; n += 2) {
            const double number = n * pi / tank.length, own = sqrt(tank.gravity * number * tanh(number * tank.depth));
            const double force = own * own / tank.gravity * 4 / (tank.length * number * number);
            const double push = -tank.amplitude * omega * omega * force;
            sum += push / (own * own - omega * omega) * (cos(omega * t) - cos(own * t)) * cos(number * x);
        }
        expect("elevation", t, found[k], sum, 0.03 * 5e-5);
    }
}

// A drag and a lift as a cylinder's, over ten periods and a part of one, from any phase.
static void oscillations_are_found(void **state)
{
    (void)state;
    enum { COUNT = 1201 };
    static double drag[COUNT], lift[COUNT];
    for (int phase = 0; phase < 4; ++phase) {
        for (int k = 0; k < COUNT; ++k) {
            const double angle = 2 * pi * 0.1723 * 0.05 * k + phase;
            drag[k] = 1.4 + 0.01 * cos(2 * angle), lift[k] = 0.02 + 0.33 * sin(angle);
        }
        const validate_oscillation found = validate_find_oscillation(lift, COUNT, 0.05, 0.1, 0.3, 1e-4);
        expect("mean of the drag", phase, validate_windowed_mean(drag, COUNT), 1.4, 1e-4);
        expect("mean of the lift", phase, found.mean, 0.02, 5e-4);
        expect("frequency", phase, found.frequency, 0.1723, 2e-4);
        expect("amplitude", phase, found.amplitude, 0.33, 1e-3);
    }
    for (int k = 0; k < COUNT; ++k) lift[k] = 0;
    CHECK(isnan(validate_find_oscillation(lift, COUNT, 0.05, 0.1, 0.3, 1e-2).frequency), "nothing oscillates");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillations_are_found),
        cmocka_unit_test(a_tank_that_sways_a_little_has_linear_waves),
        cmocka_unit_test(flows_between_plates_are_those_of_the_tables),
        cmocka_unit_test(vortices_decay_as_the_table_says),
        cmocka_unit_test(a_patch_becomes_the_ellipse_of_the_table),
        cmocka_unit_test(waves_fade_more_slowly_than_the_leading_order),
    };
    RUN_TESTS(tests, argc, argv);
}
