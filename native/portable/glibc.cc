// Lets what is built on a young glibc load on one as old as 2.28 (RHEL 8, Ubuntu 20.04): the build host's default versions of
// these functions are younger than that, though the functions are not.
//
// Each is defined here, hidden, so that our code, libstdc++ and libgcc (both linked statically) bind to it; it passes its
// arguments on to the version that every glibc since then has. scripts/check-portable says when one is missing here.
#include <dlfcn.h>
#include <elf.h>
#include <features.h>
#include <link.h>
#include <sys/random.h>

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#define FAULTLINE_FIRST "GLIBC_2.2.5"
#define FAULTLINE_SETNAME "GLIBC_2.12"
constexpr long kStatVersion = 1;
#elif defined(__aarch64__)
#define FAULTLINE_FIRST "GLIBC_2.17"
#define FAULTLINE_SETNAME "GLIBC_2.17"
constexpr long kStatVersion = 0;
#endif

#define FAULTLINE_HIDDEN extern "C" [[gnu::visibility("hidden")]]

// Referred to by the link line (-u), so that this file is taken out of its archive before the libraries after it are read.
FAULTLINE_HIDDEN const char faultline_portable_glibc;
const char faultline_portable_glibc = 0;

#ifdef FAULTLINE_FIRST

// Integers and pointers travel in registers that the callee may ignore: one shape fits every function of up to four.
#define FAULTLINE_OLD(version, name)                                                       \
  extern "C" long old_##name(long, long, long, long);                                      \
  asm(".symver old_" #name "," #name "@" version);                                         \
  FAULTLINE_HIDDEN long new_##name(long, long, long, long) asm(#name);                     \
  extern "C" long new_##name(long a, long b, long c, long d) { return old_##name(a, b, c, d); }

#if __GLIBC_PREREQ(2, 34)
// Moved from libpthread and libdl into libc.
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_attr_setstacksize)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_create)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_detach)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_getspecific)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_join)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_key_create)
FAULTLINE_OLD(FAULTLINE_FIRST, __pthread_key_create)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_key_delete)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_once)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_rwlock_rdlock)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_rwlock_unlock)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_rwlock_wrlock)
FAULTLINE_OLD(FAULTLINE_SETNAME, pthread_setname_np)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_setspecific)
FAULTLINE_OLD(FAULTLINE_FIRST, dladdr)
FAULTLINE_OLD(FAULTLINE_FIRST, dlerror)
FAULTLINE_OLD(FAULTLINE_FIRST, dlopen)
FAULTLINE_OLD(FAULTLINE_FIRST, dlsym)
#endif

#if __GLIBC_PREREQ(2, 33)
// Were inline functions of the header before; these are what they called.
#define FAULTLINE_STAT(name, worker)                                      \
  extern "C" int worker(int, long, void*);                                \
  FAULTLINE_HIDDEN int new_##name(long, void*) asm(#name);                \
  extern "C" int new_##name(long which, void* result) { return worker(kStatVersion, which, result); }
FAULTLINE_STAT(stat, __xstat)
FAULTLINE_STAT(lstat, __lxstat)
FAULTLINE_STAT(fstat, __fxstat)
FAULTLINE_STAT(stat64, __xstat64)
FAULTLINE_STAT(lstat64, __lxstat64)
FAULTLINE_STAT(fstat64, __fxstat64)
#define FAULTLINE_STAT_AT(name, worker)                                              \
  extern "C" int worker(int, int, const char*, void*, int);                          \
  FAULTLINE_HIDDEN int new_##name(int, const char*, void*, int) asm(#name);          \
  extern "C" int new_##name(int folder, const char* path, void* result, int flags) { \
    return worker(kStatVersion, folder, path, result, flags);                        \
  }
FAULTLINE_STAT_AT(fstatat, __fxstatat)
FAULTLINE_STAT_AT(fstatat64, __fxstatat64)
#endif

#if __GLIBC_PREREQ(2, 32)
FAULTLINE_OLD(FAULTLINE_FIRST, pthread_sigmask)
// "Perhaps there are threads" is always right.
FAULTLINE_HIDDEN char faultline_single_threaded asm("__libc_single_threaded");
char faultline_single_threaded = 0;
#endif

#if __GLIBC_PREREQ(2, 29)
extern "C" double old_pow(double, double);
asm(".symver old_pow,pow@" FAULTLINE_FIRST);
FAULTLINE_HIDDEN double new_pow(double, double) asm("pow");
extern "C" double new_pow(double base, double exponent) { return old_pow(base, exponent); }
#endif

#if __GLIBC_PREREQ(2, 36)
// For std::random_device, which throws where it gets none.
FAULTLINE_HIDDEN std::uint32_t new_arc4random() asm("arc4random");
extern "C" std::uint32_t new_arc4random() {
  std::uint32_t value = 0;
  while (::getrandom(&value, sizeof(value), 0) != sizeof(value)) {
  }
  return value;
}
#endif

#if __GLIBC_PREREQ(2, 35)
namespace {

// libgcc's unwinder asks where the unwind table of the code at an address lies.
struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

int look(dl_phdr_info* object, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  const ElfW(Phdr)* table = nullptr;
  bool here = false;
  for (int at = 0; at < object->dlpi_phnum; at++) {
    const ElfW(Phdr)& part = object->dlpi_phdr[at];
    const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) table = &part;
    if (part.p_type != PT_LOAD || search->address < start || search->address - start >= part.p_memsz) continue;
    here = true;
    search->found->dlfo_map_start = reinterpret_cast<void*>(start);
    search->found->dlfo_map_end = reinterpret_cast<void*>(start + part.p_memsz);
  }
  if (!here) return 0;
  if (table == nullptr) return -1;
  search->found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + table->p_vaddr);
  return 1;
}

}  // namespace

FAULTLINE_HIDDEN int new_find_object(void* address, dl_find_object* found) asm("_dl_find_object");
extern "C" int new_find_object(void* address, dl_find_object* found) {
  *found = {};
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return ::dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
#endif

#endif
