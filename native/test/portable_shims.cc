// What portable/ puts in the place of young versions of the C library's functions does what these do. It is linked as what
// ships is; scripts/check-portable runs it under an old C library as well.
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/thread.h"
#include "test/check.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

std::string constructed = "before main";
int constructors_run = 0;
[[gnu::constructor]] void construct() { constructors_run++; }

[[gnu::noinline]] int fails(const std::string& text, std::size_t at) { return text.at(at); }

struct AtThreadEnd {
  int* ended = nullptr;
  ~AtThreadEnd() {
    if (ended != nullptr) ++*ended;
  }
};
thread_local AtThreadEnd at_thread_end;

}  // namespace

int main(int count, char** arguments) {
  std::printf("glibc %s\n", gnu_get_libc_version());
  checks::test("start: constructors run once before main, which gets its arguments", [&] {
    CHECK_EQ(constructed, "before main");
    CHECK_EQ(constructors_run, 1);
    CHECK_EQ(count, 1);
    CHECK(arguments[1] == nullptr);
  });
  checks::test("unwinding: an exception of the C++ library is caught, in a thread too", [] {
    int caught = 0;
    const auto attempt = [&caught] {
      try {
        fails("short", 99);
      } catch (const std::out_of_range&) {
        caught++;
      }
    };
    attempt();
    std::thread(attempt).join();
    CHECK_EQ(caught, 2);
  });
  checks::test("files: stat, lstat and fstat tell size, kind and absence", [] {
    TemporaryFolder folder;
    folder.write("file", "twelve bytes");
    CHECK_EQ(::symlink("file", folder.path("link").c_str()), 0);
    struct stat status {};
    CHECK_EQ(::stat(folder.path("link").c_str(), &status), 0);
    CHECK_EQ(status.st_size, 12);
    CHECK_EQ(::lstat(folder.path("link").c_str(), &status), 0);
    CHECK(S_ISLNK(status.st_mode));
    CHECK_EQ(::fstat(0, &status), 0);
    CHECK_EQ(::stat(folder.path("absent").c_str(), &status), -1);
    CHECK_EQ(errno, ENOENT);
    CHECK_EQ(std::filesystem::file_size(folder.path("file")), 12u);
  });
  checks::test("threads: names, stack sizes, locks, one-time calls, ends of threads, masks of signals", [] {
    int ended = 0;
    char name[16] = "";
    std::thread([&] {
      at_thread_end.ended = &ended;
      pthread_setname_np(pthread_self(), "portable");
      ::prctl(PR_GET_NAME, name);
    }).join();
    CHECK_EQ(std::string(name), "portable");
    CHECK_EQ(ended, 1);
    StopSignal started;
    CHECK(start_thread("detached", [&started] { started.raise(); }));
    CHECK(started.wait_until(INT64_MAX));
    std::once_flag once;
    int calls = 0;
    for (int at = 0; at < 3; at++) std::call_once(once, [&calls] { calls++; });
    CHECK_EQ(calls, 1);
    std::shared_mutex lock;
    { const std::shared_lock reading(lock); }
    { const std::unique_lock writing(lock); }
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, &blocked, nullptr), 0);
    sigemptyset(&blocked);
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    CHECK(sigismember(&blocked, SIGUSR2));
  });
  checks::test("libraries: one is opened, a symbol found in it, and an absent one reported", [] {
    void* library = ::dlopen("libm.so.6", RTLD_NOW);
    CHECK(library != nullptr);
    void* symbol = library == nullptr ? nullptr : ::dlsym(library, "cos");
    CHECK(symbol != nullptr);
    Dl_info found{};
    CHECK(::dladdr(symbol, &found) != 0);
    CHECK(::dlopen("libabsent.so.9", RTLD_NOW) == nullptr);
    CHECK(std::string(::dlerror()).find("libabsent.so.9") != std::string::npos);
  });
  checks::test("numbers: powers, and random ones that differ", [] {
    volatile double ten = 10;
    CHECK_NEAR(std::pow(ten, -3.0), 0.001, 1e-15);
    std::random_device random;
    CHECK(random() != random() || random() != random());
  });
  return checks::result();
}
