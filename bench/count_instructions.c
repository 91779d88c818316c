// SPDX-License-Identifier: MIT
// A plugin of QEMU's user emulation that counts the instructions that a program executes, and prints how many each
// function did to standard error when it ends. Code without a name, as node writes it for WebAssembly, is printed by
// the address of each block ("0x1a2b 17"). What it uses of QEMU (version 1 of its interface) is declared here, so that
// no package is needed to build it.
// usage: gcc -shared -fPIC -o count.so bench/count_instructions.c; qemu-aarch64 -plugin ./count.so PROGRAM ...

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t number);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*call)(qemu_plugin_id_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *number, uint64_t by);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t id, void *data), void *data);
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

enum { MOST = 4096, MOST_BLOCKS = 1 << 20 };

// Functions by their names; the last is for all that do not fit.
static struct {
    char name[64];
    uint64_t executed;
} functions[MOST] = {[MOST - 1] = {.name = "others"}};
static size_t function_count;

// Blocks without a name, one for each time that they are translated.
static struct {
    uint64_t address, executed;
} blocks[MOST_BLOCKS];
static size_t block_count;

static uint64_t *counter_of(const char *name, uint64_t address)
{
    if (!name && block_count < MOST_BLOCKS) {
        blocks[block_count].address = address;
        return &blocks[block_count++].executed;
    }
    for (size_t k = 0; name && k < function_count; ++k)
        if (strncmp(functions[k].name, name, sizeof functions->name - 1) == 0) return &functions[k].executed;
    if (!name || function_count == MOST - 1) return &functions[MOST - 1].executed;
    strncpy(functions[function_count].name, name, sizeof functions->name - 1);
    return &functions[function_count++].executed;
}

// Blocks of instructions without a jump are executed as a whole. Counters have no lock: the program has one thread.
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64,
                                             counter_of(name, qemu_plugin_tb_vaddr(block)),
                                             qemu_plugin_tb_n_insns(block));
}

static void print(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    for (size_t k = 0; k < MOST; ++k)
        if (functions[k].executed > 0) fprintf(stderr, "%s %" PRIu64 "\n", functions[k].name, functions[k].executed);
    for (size_t k = 0; k < block_count; ++k)
        if (blocks[k].executed > 0)
            fprintf(stderr, "0x%" PRIx64 " %" PRIu64 "\n", blocks[k].address, blocks[k].executed);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, print, NULL);
    return 0;
}
