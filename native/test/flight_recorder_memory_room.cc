// The reader's memory fits into what the control groups above it leave.
#include "flight_recorder/program/memory_room.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "test/check.h"
#include "test/temporary_folder.h"

namespace {

constexpr std::uint64_t MIB = std::uint64_t{1} << 20;
constexpr std::uint64_t MOST = 1024 * MIB;

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

void fits() {
  const faultline::TemporaryFolder folder;
  const std::string groups = folder.root(), membership = groups + "/membership";
  const auto room = [&] { return faultline::reader::memory_room(MOST, membership, groups); };
  CHECK_EQ(room(), MOST);  // no control group is known
  put(membership, "4:memory:/a\n0::/\n");
  CHECK_EQ(room(), MOST);

  const std::string slice = groups + "/system.slice", service = slice + "/faultline.service";
  mkdir(slice.c_str(), 0755);
  mkdir(service.c_str(), 0755);
  put(membership, "0::/system.slice/faultline.service\n");
  CHECK_EQ(room(), MOST);
  put(service + "/memory.max", "max\n");
  put(service + "/memory.high", "max\n");
  put(service + "/memory.current", std::to_string(100 * MIB) + "\n");
  CHECK_EQ(room(), MOST);

  // The unit as it is shipped, less what is left to the daemon; pages of files are taken back before anything is ended.
  put(service + "/memory.max", std::to_string(256 * MIB) + "\n");
  CHECK_EQ(room(), 140 * MIB);
  put(service + "/memory.high", std::to_string(192 * MIB) + "\n");
  CHECK_EQ(room(), 76 * MIB);
  put(service + "/memory.stat", "anon 1\nfile " + std::to_string(20 * MIB) + "\nkernel 5\n");
  CHECK_EQ(room(), 96 * MIB);

  // A group above is smaller, or all is used up: never less than the program itself needs.
  put(slice + "/memory.max", std::to_string(150 * MIB) + "\n");
  put(slice + "/memory.current", std::to_string(70 * MIB) + "\n");
  CHECK_EQ(room(), 64 * MIB);
  put(slice + "/memory.current", std::to_string(149 * MIB) + "\n");
  CHECK_EQ(room(), 48 * MIB);
  put(service + "/memory.max", std::to_string(8192 * MIB) + "\n");
  put(service + "/memory.high", "max\n");
  put(slice + "/memory.max", "max\n");
  CHECK_EQ(room(), MOST);
}

void spares() {
  const faultline::TemporaryFolder folder;
  const std::string memory = folder.path("meminfo");
  put(memory, "MemTotal:       32000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8388608 kB\n");
  CHECK_EQ(faultline::reader::memory_to_spare(memory), 6144 * MIB);
  CHECK_EQ(faultline::reader::memory_to_spare(folder.path("nothing")), 4096 * MIB);
}

}  // namespace

int main() {
  checks::test("the reader fits into what its control groups leave", fits);
  checks::test("an operator's own command takes most of what the machine has free", spares);
  return checks::result();
}
