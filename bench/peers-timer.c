// An empty timer loop at 1 kHz, waiting as our readers do: what bench/host-peers.mjs holds reading at 1 kHz against.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

static long long now_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char** arguments) {
  const long long until_ns = now_ns(CLOCK_MONOTONIC) + (count > 1 ? atoll(arguments[1]) : 1000) * 1000000LL;
  struct pollfd event = {eventfd(0, EFD_CLOEXEC), POLLIN, 0};
  const long long before_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
  for (long long next_ns = now_ns(CLOCK_MONOTONIC); next_ns < until_ns; next_ns += 1000000) {
    const long long left_ns = next_ns - now_ns(CLOCK_MONOTONIC);
    if (left_ns <= 0) continue;
    const struct timespec timeout = {0, left_ns};
    ppoll(&event, 1, &timeout, NULL);
  }
  printf("{\"cpuMs\": %.3f}\n", (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns) / 1e6);
}
