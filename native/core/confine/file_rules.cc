// By the calls themselves: no library, and constants of our own, since build hosts have older headers than run-time kernels.
#include "core/confine/file_rules.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::confine {
namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr std::uint64_t kOfFirst = (1 << 13) - 1;  // removing and making everything, too
constexpr std::uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kDeviceCommands = 1 << 15;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceCommands;
constexpr std::uint64_t kBindTcp = 1 << 0, kConnectTcp = 1 << 1;
constexpr std::uint64_t kAbstractSockets = 1 << 0, kSignals = 1 << 1;

struct Attributes {
  std::uint64_t files, net, scoped;
};

struct [[gnu::packed]] Beneath {
  std::uint64_t access;
  std::int32_t parent;
};

}  // namespace

FileRules::FileRules(Network network) {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return;
  handled_ = kOfFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) | (version >= 5 ? kDeviceCommands : 0);
  const std::uint64_t ports = version >= 4 && network == Network::kNone ? kBindTcp | kConnectTcp : 0;
  const Attributes wanted{handled_, ports, version >= 6 ? kAbstractSockets | kSignals : 0};
  const std::size_t size = version >= 6 ? sizeof wanted : version >= 4 ? 2 * sizeof wanted.files : sizeof wanted.files;
  ruleset_ = static_cast<int>(syscall(kCreateRuleset, &wanted, size, 0));
}

FileRules::~FileRules() {
  if (ruleset_ >= 0) close(ruleset_);
}

void FileRules::may_read(const std::string& path) { add(path, kReadFile | kReadFolder); }
void FileRules::may_run(const std::string& path) { add(path, kReadFile | kReadFolder | kExecute); }
void FileRules::may_use(const std::string& path) { add(path, kReadFile | kReadFolder | kWriteFile | kDeviceCommands); }

void FileRules::add(const std::string& path, std::uint64_t access) {
  if (!possible() || path.empty()) return;
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  if (fstat(fd, &status) == 0) {
    const std::uint64_t fitting = access & handled_ & (S_ISDIR(status.st_mode) ? ~std::uint64_t{0} : kOfFiles);
    const Beneath rule{fitting, fd};
    syscall(kAddRule, ruleset_, kPathBeneath, &rule, 0);
  }
  close(fd);
}

bool FileRules::hold() { return possible() && syscall(kRestrictSelf, ruleset_, 0) == 0; }

}  // namespace faultline::confine
