// SPDX-License-Identifier: MIT
// Checkpoints: files from which a run that was killed goes on, and ends with the same bits.
//
// A checkpoint holds the scene's text, what the run has written so far (of gauges.csv its length and checksum) and the
// state of the simulation, each in a section with a checksum. A run has two, which take turns, and a new one gets its
// name only once it is on the disk: whenever the program, the disk or the machine fails, the last whole one is still
// there.

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "run.h"

#define MAGIC UINT64_C(0x6B70636574326F6D)  // "mo2etcpk": the form of these files, and the order of their bytes
#define FORM_BITS UINT64_C(0xFF0000)         // of it, those of the "2"

enum { COPIES = 2, NAME = 64, SECTION_NAME = 8, VERSION = 32, KEY = 40 };

// A run that has not lasted longer [s] does not wait for the disk, which can take seconds: only a machine that fails
// then loses more than a few steps.
static const double short_run = 10;

// A state of at most so many bytes is kept in memory at each frame.
static const size_t most_kept = (size_t)1 << 28;

typedef struct file_head {
    uint64_t magic, number;  // number: counts the checkpoints of a run
    char version[VERSION];   // of mote
} file_head;

typedef struct section_head {
    char name[SECTION_NAME];
    uint64_t length, sum;  // of the bytes that follow, and their CRC-32
} section_head;

// What the contents of files were.
typedef struct file_keys {
    char meshes[KEY];
    uint64_t points;
} file_keys;

// Section "run".
typedef struct run_part {
    file_keys files;
    uint64_t record_count, quantity_count;  // quantities: of each record
    int64_t frame_count, no_images, frame;  // frame: whose state it is, or −1
    mote_box seen;
    mote_simulation_counters counters;
    double seconds;
} run_part;

// Section "records": for each frame one of these, then the values of its quantities, three numbers each.
typedef struct record_part {
    int64_t frame, has_picture;
    uint64_t steps, fast;
    double time;
    mote_vec3 eye, target;
} record_part;

const mote_field_table *app_checkpoint_fields(void)
{
    // clang-format off
    static const mote_field fields[] = {
        {"frames", MOTE_FIELD_INT, "", offsetof(app_checkpoints, frames), 0, 0, 1000000, {0}, NULL, NULL,
         "a checkpoint after every so many frames; 0: only by time"},
        {"minutes", MOTE_FIELD_NUMBER, "min", offsetof(app_checkpoints, minutes), 0, 0, 1e9, {1}, NULL, NULL,
         "a checkpoint at the first step after so much time; 0: only by frames. There is always one of the start, one "
         "of the end, and one where a run is interrupted"},
    };
    // clang-format on
    static const mote_field_table table = {"checkpoints", "from which mote run --resume goes on", fields,
                                           sizeof fields / sizeof fields[0]};
    return &table;
}

// Section "from", which only runs have that started from another's state: this, then the other's folder.
typedef struct from_part {
    int64_t frame;
    double time;
} from_part;

// Section "gauges", which only runs with gauges have: what gauges.csv was.
typedef struct gauges_part {
    uint64_t length, sum;
} gauges_part;

// Tells whether files that the scene names have changed since: meshes, and points of blocks.
static file_keys find_file_keys(const app_scene_file *file)
{
    file_keys keys;
    memset(&keys, 0, sizeof keys);
    const mote_simulation_def *def = &file->settings->simulation;
    if (def->solid_count) mote_proxy_key((const mote_mesh *const *)file->meshes, def->solid_count, NULL, keys.meshes);
    for (size_t k = 0; k < def->block_count; ++k) {
        const mote_point_data *points = &file->points[k];
        const uint64_t count = points->count;
        keys.points = crc32_z((uLong)keys.points, (const Bytef *)&count, sizeof count);
        if (count) keys.points = crc32_z((uLong)keys.points, (const Bytef *)points->xyz, 3 * count * sizeof(double));
    }
    return keys;
}

static void name_of(uint64_t number, char name[NAME])
{
    snprintf(name, NAME, "checkpoint_%04d.bin", (int)(number % COPIES));
}

// ------------------------------------------------------------------------------------------------------- writing

// A section that is being written: its head stands before it, and is written again at the end.
typedef struct section_writer {
    FILE *stream;
    long at;
    section_head head;
} section_writer;

static bool put(void *user_data, const void *bytes, size_t length)
{
    section_writer *to = user_data;
    to->head.sum = crc32_z((uLong)to->head.sum, bytes, length);
    to->head.length += length;
    return fwrite(bytes, 1, length, to->stream) == length;
}

static bool begin(section_writer *to, FILE *stream, const char *name)
{
    *to = (section_writer){.stream = stream, .at = ftell(stream)};
    snprintf(to->head.name, SECTION_NAME, "%s", name);
    return to->at >= 0 && fwrite(&to->head, sizeof to->head, 1, stream) == 1;
}

static bool end(section_writer *to)
{
    return fseek(to->stream, to->at, SEEK_SET) == 0 && fwrite(&to->head, sizeof to->head, 1, to->stream) == 1 &&
           fseek(to->stream, 0, SEEK_END) == 0;
}

static bool put_whole(FILE *stream, const char *name, const void *bytes, size_t length)
{
    section_writer to;
    return begin(&to, stream, name) && put(&to, bytes, length) && end(&to);
}

// Whether the present state is that of the last frame.
static int64_t frame_of_state(const app_running *self)
{
    const size_t count = self->report.record_count;
    const bool is_frame = count && mote_simulation_time(self->file.simulation) == self->report.records[count - 1].time;
    return is_frame ? self->report.records[count - 1].frame : -1;
}

static bool put_run(const app_running *self, const app_kept_state *kept, FILE *stream)
{
    const app_report *report = &self->report;
    run_part part;
    memset(&part, 0, sizeof part);  // gaps, too
    part = (run_part){.record_count = report->record_count,
                      .quantity_count = report->record_count ? report->records[0].quantities.count : 0,
                      .frame_count = self->frame_count,
                      .no_images = self->no_images,
                      .frame = kept ? (int64_t)report->record_count - 1 : frame_of_state(self),
                      .seen = self->frames.seen,
                      .counters = kept ? kept->counters : app_run_counters(self),
                      .seconds = app_run_seconds(self)};
    part.files = find_file_keys(&self->file);
    return put_whole(stream, "run", &part, sizeof part);
}

static bool put_records(const app_report *report, FILE *stream)
{
    section_writer to;
    bool done = begin(&to, stream, "records");
    for (size_t i = 0; done && i < report->record_count; ++i) {
        const app_record *record = &report->records[i];
        const record_part part = {record->frame, record->has_picture, record->steps, record->fast,
                                  record->time,  record->eye,         record->target};
        done = put(&to, &part, sizeof part);
        for (size_t k = 0; done && k < record->quantities.count; ++k)
            done = put(&to, record->quantities.list[k].value, sizeof record->quantities.list[k].value);
    }
    return done && end(&to);
}

static bool put_gauges(const app_gauges *gauges, const app_kept_state *kept, FILE *stream)
{
    const gauges_part part = {kept ? kept->gauges_length : gauges->length, kept ? kept->gauges_sum : gauges->sum};
    return gauges->count == 0 || put_whole(stream, "gauges", &part, sizeof part);
}

static bool put_origin(const app_origin *origin, FILE *stream)
{
    const from_part part = {origin->frame, origin->time};
    section_writer to;
    if (!origin->folder) return true;
    return begin(&to, stream, "from") && put(&to, &part, sizeof part) &&
           put(&to, origin->folder, strlen(origin->folder) + 1) && end(&to);
}

// The simulation's own state, or one of a frame that was kept.
static bool put_state(const app_running *self, const app_kept_state *kept, FILE *stream)
{
    section_writer to;
    if (kept) return put_whole(stream, "state", kept->bytes, kept->length);
    return begin(&to, stream, "state") && mote_simulation_write(self->file.simulation, put, &to, NULL) == MOTE_OK &&
           end(&to);
}

static bool put_all(const app_running *self, const app_kept_state *kept, FILE *stream)
{
    file_head head = {.magic = MAGIC, .number = self->checkpoint_number};
    snprintf(head.version, VERSION, "%s", mote_version());
    size_t length;
    const char *scene = mote_scene_text(self->file.scene, &length);
    return fwrite(&head, sizeof head, 1, stream) == 1 && put_whole(stream, "scene", scene, length) &&
           put_whole(stream, "path", self->full_path, strlen(self->full_path) + 1) && put_run(self, kept, stream) &&
           put_records(&self->report, stream) && put_gauges(&self->gauges, kept, stream) &&
           put_origin(&self->report.origin, stream) && put_state(self, kept, stream);
}

static bool write_checkpoint(app_running *self, const app_kept_state *kept)
{
    char name[NAME];
    app_file file;
    name_of(self->checkpoint_number, name);
    if (!app_file_open(&file, self->folder, name)) return false;
    errno = 0;
    const bool waits = app_run_seconds(self) > short_run;
    bool done = app_gauges_flush(&self->gauges, waits) && put_all(self, kept, file.stream);
    done = done && (!waits || app_file_sync(&file));
    const int cause = errno;
    if (done)
        done = app_file_commit(&file);
    else
        app_file_discard(&file), errno = cause;
    if (!done) return false;
    if (waits && self->lock >= 0) fsync(self->lock);  // the folder's: the name is on the disk, too
    ++self->checkpoint_number;
    self->checkpoint_time = app_clock();
    self->checkpoint_steps = kept ? kept->steps : mote_simulation_get_counters(self->file.simulation).steps;
    return true;
}

bool app_checkpoint_write(app_running *self)
{
    return write_checkpoint(self, NULL);
}

// ---------------------------------------------------------------------------------------------- the last good state

static bool keep(void *user_data, const void *bytes, size_t length)
{
    app_kept_state *kept = user_data;
    if (kept->length + length > most_kept) return false;
    if (kept->length + length > kept->room) {
        const size_t room = kept->length + length + kept->room / 2;
        char *grown = realloc(kept->bytes, room);
        if (!grown) return false;
        kept->bytes = grown, kept->room = room;
    }
    memcpy(kept->bytes + kept->length, bytes, length);
    kept->length += length;
    return true;
}

void app_checkpoint_keep(app_running *self)
{
    app_kept_state *kept = &self->kept;
    kept->length = 0;
    if (mote_simulation_write(self->file.simulation, keep, kept, NULL) != MOTE_OK) kept->length = 0;
    kept->counters = app_run_counters(self);
    kept->steps = mote_simulation_get_counters(self->file.simulation).steps;
    kept->gauges_length = self->gauges.length, kept->gauges_sum = self->gauges.sum;
}

bool app_checkpoint_write_kept(app_running *self)
{
    if (self->kept.length == 0 || self->kept.steps <= self->checkpoint_steps) return self->checkpoint_number > 0;
    return write_checkpoint(self, &self->kept);
}

// ------------------------------------------------------------------------------------------------------- reading

// A file's bytes, of malloc; NULL with a reason in `why`.
static char *read_file(const char *path, size_t *length, const char **why)
{
    const int handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat state;
    char *bytes = NULL;
    *why = handle < 0 ? strerror(errno) : "it is no file";
    if (handle >= 0 && fstat(handle, &state) == 0 && S_ISREG(state.st_mode)) {
        *length = (size_t)state.st_size;
        bytes = malloc(*length + 1);
        *why = bytes ? NULL : "there is no memory for it";
    }
    for (size_t used = 0; bytes && used < *length;) {
        const ssize_t got = read(handle, bytes + used, *length - used);
        if (got < 0 && errno == EINTR) continue;
        if (got > 0) {
            used += (size_t)got;
            continue;
        }
        *why = got < 0 ? strerror(errno) : "it is cut short";
        free(bytes);
        bytes = NULL;
    }
    if (handle >= 0) close(handle);
    return bytes;
}

// Takes the next section, which must have this name. Its bytes are aligned to nothing.
static const char *take(const char **at, const char *end, const char *name, size_t *length)
{
    section_head head;
    if ((size_t)(end - *at) < sizeof head) return NULL;
    memcpy(&head, *at, sizeof head);
    const char *bytes = *at + sizeof head;
    if (strncmp(head.name, name, SECTION_NAME) != 0 || head.length > (size_t)(end - bytes)) return NULL;
    if (crc32_z(0, (const unsigned char *)bytes, (size_t)head.length) != head.sum) return NULL;
    *length = (size_t)head.length;
    *at = bytes + head.length;
    return bytes;
}

// What gauges.csv was, if the run has gauges.
static void take_gauges(const char **at, const char *end, app_checkpoint *checkpoint)
{
    gauges_part part = {0};
    size_t length;
    const char *bytes = take(at, end, "gauges", &length);
    if (bytes && length == sizeof part) memcpy(&part, bytes, sizeof part);
    checkpoint->gauges_length = part.length;
    checkpoint->gauges_sum = (uint32_t)part.sum;
}

// Where the run started, if it was from another's state.
static void take_origin(const char **at, const char *end, app_checkpoint *checkpoint)
{
    from_part part;
    size_t length;
    const char *bytes = take(at, end, "from", &length);
    if (!bytes || length <= sizeof part || bytes[length - 1] != '\0') return;
    memcpy(&part, bytes, sizeof part);
    checkpoint->origin = (app_origin){bytes + sizeof part, part.frame, part.time};
}

// Finds the sections, and checks that they belong together. @return what is wrong, or NULL
static const char *find_parts(app_checkpoint *checkpoint, size_t length)
{
    file_head head;
    run_part run;
    size_t path_length, run_length, records_length;
    if (length < sizeof head) return "it is cut short";
    memcpy(&head, checkpoint->bytes, sizeof head);
    if ((head.magic & ~FORM_BITS) == (MAGIC & ~FORM_BITS) && head.magic != MAGIC)
        return "it has the form of another version of mote";
    if (head.magic != MAGIC) return "it is no checkpoint, or one of another byte order";
    checkpoint->number = head.number;
    const char *at = checkpoint->bytes + sizeof head, *last = checkpoint->bytes + length;
    checkpoint->scene = take(&at, last, "scene", &checkpoint->scene_length);
    checkpoint->path = checkpoint->scene ? take(&at, last, "path", &path_length) : NULL;
    checkpoint->run = checkpoint->path ? take(&at, last, "run", &run_length) : NULL;
    checkpoint->records = checkpoint->run ? take(&at, last, "records", &records_length) : NULL;
    if (checkpoint->records) take_gauges(&at, last, checkpoint), take_origin(&at, last, checkpoint);
    checkpoint->state = checkpoint->records ? take(&at, last, "state", &checkpoint->state_length) : NULL;
    if (!checkpoint->state || at != last) return "it is damaged or cut short";
    if (path_length == 0 || checkpoint->path[path_length - 1] != '\0' || run_length != sizeof run)
        return "it is of another version of mote";
    memcpy(&run, checkpoint->run, sizeof run);
    const uint64_t record = sizeof(record_part) + run.quantity_count * sizeof((mote_quantity *)NULL)->value;
    if (run.frame_count < 1 || run.frame_count > 1000000 || run.quantity_count > records_length ||
        run.record_count > (uint64_t)run.frame_count || run.record_count * record != records_length)
        return "it is of another version of mote";
    checkpoint->frame_count = (int32_t)run.frame_count;
    checkpoint->record_count = (size_t)run.record_count;
    checkpoint->no_images = run.no_images != 0;
    checkpoint->frame = run.frame;
    return NULL;
}

// Why no checkpoint of a folder serves: what is wrong with the first, or whose states there are.
static void complain_none(const char *folder, int64_t frame, const int64_t there[COPIES], const char *reason,
                          const char *reason_path)
{
    if (frame < 0 || (there[0] < 0 && there[1] < 0)) {
        app_complain("%s: %s, expected a checkpoint of mote run", reason_path ? reason_path : folder,
                     reason ? reason : "there is no memory");
        return;
    }
    const int64_t low = there[0] < there[1] ? there[0] : there[1], high = there[0] < there[1] ? there[1] : there[0];
    if (low < 0 || low == high)
        app_complain("%s: there is no state of frame %lld, expected frame %lld", folder, (long long)frame,
                     (long long)high);
    else
        app_complain("%s: there is no state of frame %lld, expected frame %lld or %lld", folder, (long long)frame,
                     (long long)low, (long long)high);
}

int app_checkpoint_read(const char *folder, int64_t frame, app_checkpoint *checkpoint)
{
    const char *reason = NULL;
    char *reason_path = NULL;
    int64_t there[COPIES] = {-1, -1};
    *checkpoint = (app_checkpoint){0};
    for (uint64_t k = 0; k < COPIES; ++k) {
        char name[NAME];
        name_of(k, name);
        app_checkpoint one = {0};
        size_t length = 0;
        const char *why;
        char *path = app_text("%s/%s", folder, name);
        if (!path) continue;
        one.bytes = read_file(path, &length, &why);
        if (one.bytes) why = find_parts(&one, length);
        if (one.bytes && !why) there[k] = one.frame;
        const bool serves = !why && (frame < 0 || one.frame == frame);
        if (!serves || (checkpoint->bytes && checkpoint->number > one.number)) {
            free(one.bytes);
        } else {
            free(checkpoint->bytes);
            *checkpoint = one;
        }
        if (why && !reason)
            reason = why, reason_path = path;
        else
            free(path);
    }
    if (!checkpoint->bytes) complain_none(folder, frame, there, reason, reason_path);
    free(reason_path);
    return checkpoint->bytes ? APP_DONE : APP_BAD_INPUT;
}

void app_checkpoint_release(app_checkpoint *checkpoint)
{
    free(checkpoint->bytes);
    *checkpoint = (app_checkpoint){0};
}

// -------------------------------------------------------------------------------------------------------- resuming

// A frame's record. Its quantities have the names and units of those that the start has.
static bool restore_record(const app_quantities *like, const char **at, app_record *record)
{
    record_part part;
    memcpy(&part, *at, sizeof part);
    *at += sizeof part;
    *record = (app_record){.frame = (int32_t)part.frame,
                           .has_picture = part.has_picture != 0,
                           .steps = part.steps,
                           .fast = part.fast,
                           .time = part.time,
                           .eye = part.eye,
                           .target = part.target};
    record->quantities.list = malloc((like->count + 1) * sizeof *record->quantities.list);
    if (!record->quantities.list) return false;
    record->quantities.count = like->count;
    for (size_t k = 0; k < like->count; ++k) {
        mote_quantity *one = &record->quantities.list[k];
        *one = like->list[k];
        memcpy(one->value, *at, sizeof one->value);
        *at += sizeof one->value;
    }
    return true;
}

static int refuse(const app_running *self, const char *why)
{
    app_complain("%s: the run cannot be resumed: %s", self->folder, why);
    return APP_BAD_INPUT;
}

const char *app_checkpoint_changed_file(const app_running *self, const app_checkpoint *checkpoint)
{
    run_part run;
    memcpy(&run, checkpoint->run, sizeof run);
    const file_keys keys = find_file_keys(&self->file);
    if (memcmp(run.files.meshes, keys.meshes, sizeof keys.meshes) != 0) return "a mesh of its scene has changed since";
    return run.files.points != keys.points ? "a file of points of its scene has changed since" : NULL;
}

int app_checkpoint_restore_state(app_running *self, const app_checkpoint *checkpoint)
{
    mote_error error = {0};
    const char *changed = app_checkpoint_changed_file(self, checkpoint);
    if (changed) return refuse(self, changed);
    if (mote_simulation_read(self->file.simulation, checkpoint->state, checkpoint->state_length, &error) != MOTE_OK)
        return refuse(self, error.text);
    return APP_DONE;
}

int app_checkpoint_restore(app_running *self, const app_checkpoint *checkpoint)
{
    const char *at = checkpoint->records;
    run_part run;
    memcpy(&run, checkpoint->run, sizeof run);
    app_report *report = &self->report;
    if (run.record_count && run.quantity_count != report->derived.quantities.count)
        return refuse(self, "its checkpoint is of another version of mote");
    for (; report->record_count < checkpoint->record_count; ++report->record_count)
        if (!restore_record(&report->derived.quantities, &at, &report->records[report->record_count]))
            return app_out_of_memory();
    if (checkpoint->origin.folder) {
        report->origin = checkpoint->origin;
        report->origin.folder = self->origin_folder = app_text("%s", checkpoint->origin.folder);
        if (!self->origin_folder) return app_out_of_memory();
    }
    self->gauges.length = checkpoint->gauges_length;
    self->gauges.sum = checkpoint->gauges_sum;
    if (mote_simulation_gauge_count(self->file.simulation) > 0 && !app_gauges_check(&self->gauges, self->folder))
        return refuse(self, "gauges.csv is not there, or has changed since");
    self->frames.seen = run.seen;
    self->before = run.counters;
    self->before.steps = self->before.particle_steps = 0;  // which the simulation restores
    self->seconds_before = run.seconds;
    self->checkpoint_number = checkpoint->number + 1;
    self->checkpoint_steps = mote_simulation_get_counters(self->file.simulation).steps;
    return APP_DONE;
}
