// New processes by their numbers: how the table of processes does without a list of all, and when it needs one.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "check.h"
#include "core/processes/process_table.h"
#include "process_table_under_test.h"
#include "temporary_folder.h"

using namespace faultline;
using checks::test;
using process_table_under_test::options_of;
using process_table_under_test::scan_of;

namespace {

using std::string_literals::operator""s;

// 52 fields, of which those that tell the program's place count from `place`.
std::string full_stat(int ticks, int place) {
  std::string text = "1 (a b) c) S 1";
  for (int field = 5; field <= 52; ++field) text += " " + std::to_string(field == 22 ? ticks : field >= 26 ? place + field : 0);
  return text + "\n";
}

void marks() {
  CHECK_EQ(start_ticks(full_stat(77, 1000)), std::uint64_t{77});
  CHECK(program_mark(full_stat(1, 1000)) != 0 && program_mark(full_stat(1, 1000)) == program_mark(full_stat(2, 1000)));
  CHECK(program_mark(full_stat(1, 1000)) != program_mark(full_stat(1, 1001)));
  CHECK_EQ(program_mark(full_stat(1, -28)), std::uint64_t{0});  // whoever may not know is given 0
  for (const char* none : {"", "1 (x) S 1 2 3", ") ", "1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26"})
    CHECK_EQ(program_mark(none), std::uint64_t{0});
  CHECK_EQ(newest_number("0.20 0.18 0.12 1/80 11206\n").value_or(0), std::uint32_t{11206});
  for (const char* none : {"", "\n", "11206", "0.20 x", "0.2 99999999999"}) CHECK(!newest_number(none));
}

// A procfs whose numbers can be asked for; counts lists, and reads of environments.
struct NumberedFiles final : ProcessFiles {
  explicit NumberedFiles(std::string root) : proc(std::move(root)) {}
  std::optional<std::uint32_t> newest(const std::string&) const override { return last; }
  ProcessNumber number(std::uint32_t pid) const override {
    if (!answers) return ProcessNumber::refused;
    if (std::filesystem::exists(proc + "/" + std::to_string(pid) + "/unreaped")) return ProcessNumber::ended;
    return std::filesystem::exists(proc + "/" + std::to_string(pid) + "/environ") ? ProcessNumber::process : ProcessNumber::none;
  }
  ProcessNumber still(std::uint32_t pid) const override {
    const ProcessNumber now = number(pid);
    return now == ProcessNumber::ended ? ProcessNumber::process : now;
  }
  int list(const std::string& path, std::vector<ListedFile>& files) const override {
    if (path == proc) ++lists;
    return ProcessFiles::list(path, files);
  }
  int read(const std::string& path, std::size_t most, std::string& text) const override {
    if (path.ends_with("/environ")) ++environments;
    return ProcessFiles::read(path, most, text);
  }
  const std::string proc;
  static inline std::atomic<std::uint32_t> last{0};
  static inline std::atomic<bool> answers{true};
  static inline std::atomic<int> lists{0};
  static inline std::atomic<int> environments{0};
};

std::shared_ptr<ProcessTable> numbered(const TemporaryFolder& proc) {
  NumberedFiles::last = 20;
  NumberedFiles::answers = true;
  NumberedFiles::lists = NumberedFiles::environments = 0;
  return std::make_shared<ProcessTable>(options_of(proc), std::make_unique<NumberedFiles>(proc.root()));
}

void begins(TemporaryFolder& proc, int pid, const std::string& environ, int place = 1000) {
  proc.write(std::to_string(pid) + "/environ", environ);
  proc.write(std::to_string(pid) + "/stat", full_stat(0, place));  // as of now, for all that procfs tells
  proc.write(std::to_string(pid) + "/status", "Uid:\t5\t5\t5\t5\n");
  proc.write(std::to_string(pid) + "/cgroup", "0::/\n");
}

void numbers() {
  TemporaryFolder proc;
  begins(proc, 10, "RANK=0\0"s);
  begins(proc, 11, "A=1\0"s);
  const auto table = numbered(proc);
  CHECK(scan_of(table).present == std::vector<std::uint32_t>{10});
  CHECK_EQ(NumberedFiles::lists.load(), 1);
  // What comes and goes is known by its number. One whose number was out before it was there is found a look later.
  NumberedFiles::last = 25;
  begins(proc, 23, "RANK=1\0"s);
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{10, 23}));
  begins(proc, 24, "RANK=2\0"s);
  std::filesystem::remove_all(proc.path("10"));
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{23, 24}));
  CHECK_EQ(NumberedFiles::lists.load(), 1);
  // Numbers began again: all are listed.
  NumberedFiles::last = 5;
  begins(proc, 4, "RANK=3\0"s);
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{4, 23, 24}));
  CHECK_EQ(NumberedFiles::lists.load(), 2);
  // Where they cannot be asked for, all are listed each time.
  NumberedFiles::answers = false;
  NumberedFiles::last = 7;
  begins(proc, 6, "RANK=4\0"s);
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{4, 6, 23, 24}));
  CHECK_EQ(NumberedFiles::lists.load(), 3);
}

// A rank that ended is known at the next look, though nothing reaps it; and its number is trusted as before.
void unreaped() {
  TemporaryFolder proc;
  begins(proc, 10, "RANK=0\0"s);
  begins(proc, 11, "RANK=1\0"s);
  const auto table = numbered(proc);
  for (int looks = 0; looks < 8; ++looks) (void)scan_of(table);
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{10, 11}));
  proc.write("11/unreaped", "");
  std::string stat = full_stat(0, 1000);
  stat.replace(stat.find(" S 1"), 4, " Z 1");
  proc.write("11/stat", stat);
  CHECK(scan_of(table).present == std::vector<std::uint32_t>{10});
  const int lists = NumberedFiles::lists;
  for (int looks = 0; looks < 40; ++looks) CHECK(scan_of(table).present == std::vector<std::uint32_t>{10});
  CHECK(NumberedFiles::lists.load() <= lists + 3);
  // The kernel itself: a child that is not reaped has ended by its number, and is still there.
  const ProcessFiles files;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  CHECK_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  CHECK(files.number(static_cast<std::uint32_t>(child)) == ProcessNumber::ended);
  CHECK(files.still(static_cast<std::uint32_t>(child)) == ProcessNumber::process);
  CHECK_EQ(::waitpid(child, nullptr, 0), child);
  CHECK(files.number(static_cast<std::uint32_t>(child)) == ProcessNumber::none);
  CHECK(files.still(static_cast<std::uint32_t>(child)) == ProcessNumber::none);
}

void chosen_number() {
  TemporaryFolder proc;
  begins(proc, 10, "A=1\0"s);
  const auto table = numbered(proc);
  (void)scan_of(table);
  // A process with a number that was not its turn is seen by the next list of all, and numbers are not trusted from then on.
  begins(proc, 12, "RANK=0\0"s);
  int looks = 0;
  while (scan_of(table).present.empty() && looks < 100) ++looks;
  CHECK(looks > 5 && looks < 20);
  const int lists = NumberedFiles::lists;
  for (int more = 0; more < 5; ++more) (void)scan_of(table);
  CHECK_EQ(NumberedFiles::lists.load(), lists + 5);
}

void same_program() {
  TemporaryFolder proc;
  begins(proc, 10, "A=1\0"s);
  begins(proc, 11, "RANK=0\0"s);
  const auto table = numbered(proc);
  for (int looks = 0; looks < 8; ++looks) (void)scan_of(table);
  CHECK_EQ(NumberedFiles::environments.load(), 2);
  // Young ones that start another program are read again.
  begins(proc, 21, "A=1\0"s);
  NumberedFiles::last = 21;
  CHECK(scan_of(table).present == std::vector<std::uint32_t>{11});
  begins(proc, 21, "RANK=1\0"s, 2000);
  CHECK(scan_of(table).present == (std::vector<std::uint32_t>{11, 21}));
  // One that is work now and was of another group a moment ago is taken again, though its program is the same.
  proc.write("21/cgroup", "0::/slurm/uid_5/job_7\n");
  const ProcessScan moved = scan_of(table);
  CHECK(moved.changed.size() == 1 && moved.changed[0].group.find("job_7") != std::string::npos);
}

}  // namespace

int main() {
  test("of a program its place tells it from another, and hostile text tells nothing", marks);
  test("new processes are found by their numbers, without a list of all", numbers);
  test("a number out of turn is found by the list of all, which is asked for from then on", chosen_number);
  test("a rank that ended is none at the next look, though nothing reaps it", unreaped);
  test("an environment is read once for each program", same_program);
  return checks::result();
}
