// The start of a program, for a glibc older than 2.34 as well: there a program calls its own constructors, and what a
// younger build host links in (crt1.o) leaves that to the C library.
#include <features.h>

#if __GLIBC_PREREQ(2, 34) && (defined(__x86_64__) || defined(__aarch64__))

#ifdef __x86_64__
#define FAULTLINE_FIRST "GLIBC_2.2.5"
#else
#define FAULTLINE_FIRST "GLIBC_2.17"
#endif

using Main = int (*)(int, char**, char**);
using Constructor = void (*)(int, char**, char**);
using Nullary = void (*)();

// Laid down by the linker.
extern "C" {
extern void _init();
[[gnu::visibility("hidden")]] extern const Constructor first_constructor[] asm("__init_array_start");
[[gnu::visibility("hidden")]] extern const Constructor after_constructors[] asm("__init_array_end");

int old_start(Main, int, char**, Constructor, Nullary, Nullary, void*);
asm(".symver old_start,__libc_start_main@" FAULTLINE_FIRST);

[[gnu::visibility("hidden")]] int new_start(Main, int, char**, Constructor, Nullary, Nullary, void*) asm(
    "__libc_start_main");

static void run_constructors(int count, char** arguments, char** environment) {
  _init();
  for (const Constructor* each = first_constructor; each < after_constructors; each++) (*each)(count, arguments, environment);
}

// A glibc of 2.34 or later that is given constructors to run runs these and does not look for them itself.
int new_start(Main main, int count, char** arguments, Constructor, Nullary, Nullary at_exit, void* stack_end) {
  return old_start(main, count, arguments, run_constructors, nullptr, at_exit, stack_end);
}
}

#endif
