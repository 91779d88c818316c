// SPDX-License-Identifier: MIT
// The sandbox: limits by setrlimit, and by seccomp (Linux) a list of the system calls that are needed to read a
// mesh. A call that is not in the list fails with EPERM. So does openat without a folder's handle, which is used for
// every open by a name alone.

#include "sandbox.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(MOTE_SANITIZED)
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#define HAVE_FILTER 1
#endif

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < hard) hard = now.rlim_max;
    now = (struct rlimit){soft < hard ? soft : hard, hard};
    (void)setrlimit(resource, &now);
}

// The parent waits no longer than that either, and then kills this process; these limits hold if the parent has
// ended.
void sandbox_limit(unsigned long long seconds, unsigned long long megabytes)
{
    limit(RLIMIT_CPU, (rlim_t)seconds, (rlim_t)seconds + 1);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, 0, 0);  // a pipe is no file
#if defined(MOTE_SANITIZED)
    (void)megabytes;  // sanitizers use terabytes of address space
#else
    limit(RLIMIT_AS, (rlim_t)megabytes << 20, (rlim_t)megabytes << 20);
#endif
    alarm((unsigned int)seconds + 1);
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, 9);
#endif
}

#if defined(HAVE_FILTER)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Memory, open files, time, and how a process ends.
static const int allowed[] = {
    SYS_read,         SYS_readv,         SYS_pread64,       SYS_write,         SYS_writev,   SYS_close,
    SYS_lseek,        SYS_fstat,         SYS_dup,           SYS_fcntl,         SYS_brk,      SYS_mmap,
    SYS_munmap,       SYS_mremap,        SYS_mprotect,      SYS_madvise,       SYS_futex,    SYS_clock_gettime,
    SYS_gettimeofday, SYS_getrandom,     SYS_getpid,        SYS_gettid,        SYS_tgkill,   SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sched_yield,  SYS_exit,          SYS_exit_group,
#if defined(SYS_newfstatat)
    SYS_newfstatat,  // the C library's fstat
#endif
};
enum { ALLOWED = sizeof allowed / sizeof *allowed };

// A program for the filter's machine (Berkeley packet filter).
typedef struct filter {
    struct sock_filter code[2 * ALLOWED + 16];
    unsigned short length;
} filter;

static void load(filter *to, size_t offset)
{
    to->code[to->length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

// Skips this many instructions.
static void skip_if_equal(filter *to, uint32_t value, uint8_t yes, uint8_t no)
{
    to->code[to->length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}

static void answer(filter *to, uint32_t action)
{
    to->code[to->length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

void sandbox_enter(void)
{
    filter calls = {.length = 0};
    load(&calls, offsetof(struct seccomp_data, arch));
    skip_if_equal(&calls, ARCHITECTURE, 1, 0);
    answer(&calls, SECCOMP_RET_KILL_PROCESS);  // numbers mean other calls there
    load(&calls, offsetof(struct seccomp_data, nr));
    for (int k = 0; k < ALLOWED; ++k) {
        skip_if_equal(&calls, (uint32_t)allowed[k], 0, 1);
        answer(&calls, SECCOMP_RET_ALLOW);
    }
    skip_if_equal(&calls, SYS_openat, 1, 0);
    answer(&calls, SECCOMP_RET_ERRNO | EPERM);
    load(&calls, offsetof(struct seccomp_data, args[0]));  // its lower half, which both machines have first
    skip_if_equal(&calls, (uint32_t)AT_FDCWD, 0, 1);
    answer(&calls, SECCOMP_RET_ERRNO | EPERM);
    answer(&calls, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {calls.length, calls.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

void sandbox_enter(void)
{
}

#endif
