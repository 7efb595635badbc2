// A fixed job in slices, for bench/harm.mjs: for each byte on standard input one slice, and a line with the nanoseconds of CPU that it and
// its children took and those that passed. Usage: harm-job computing|memory|processes CORE

#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static const size_t kBytes = 128u << 20;  // more than any cache has
static uint64_t* words;
static volatile uint64_t kept;

static uint64_t ns_of(struct timeval t) { return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u; }

static uint64_t children_ns(void) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
}

static uint64_t clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void computing(void) {
  uint32_t x = 1;
  for (int i = 0; i < 14000000; i++) x = x * 1103515245u + 12345u;
  kept = x;
}

static void memory(void) {
  uint64_t sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < kBytes / sizeof *words; i += 8) sum += words[i]++;
  }
  kept = sum;
}

static void processes(void) {
  char* const arguments[] = {(char*)"/bin/true", NULL};
  for (int i = 0; i < 20; i++) {
    pid_t pid;
    if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) != 0) exit(3);
    waitpid(pid, NULL, 0);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void (*job)(void) = strcmp(argv[1], "memory") == 0 ? memory : strcmp(argv[1], "processes") == 0 ? processes : computing;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(atoi(argv[2]), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 4;
  words = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (words == MAP_FAILED) return 5;
  char go;
  while (read(STDIN_FILENO, &go, 1) == 1) {
    const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + children_ns();
    const uint64_t wall = clock_ns(CLOCK_MONOTONIC);
    job();
    const uint64_t cpu_after = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + children_ns();
    printf("%llu %llu\n", (unsigned long long)(cpu_after - cpu), (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - wall));
    fflush(stdout);
  }
  return 0;
}
