// Fuzzes watched files: each line of the input writes one file ("<file><text>"), an empty line reads them all; what a round
// tells must be what its texts say, and a round that ends the watch tells nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/files/file_watch.h"
#include "fuzz/watching_sink.h"
#include "test/temporary_folder.h"

namespace {

using namespace faultline;
constexpr std::array<const char*, 6> kFiles = {"state", "limited", "a", "b", "power", "net/eth0"};

class CountingSink final : public Sink {
 public:
  SeriesId series(std::string_view key) override { return watching_.series(key); }
  void sample(SeriesId series, std::int64_t time_ns, double value) override {
    watching_.sample(series, time_ns, value);
    ++samples;
  }
  void notice(Notice notice) override {
    WatchingSink::demand(notice.type == "files_changed");
    ++notices;
  }
  void record(KernelRecord) override { WatchingSink::demand(false); }
  int samples = 0;
  int notices = 0;

 private:
  WatchingSink watching_;
};

FileWatchOptions plan(const TemporaryFolder& tree) {
  GroupPlan group;
  for (const char* name : {"state", "limited", "a", "b", "power", "net"}) {
    FilePlan file;
    file.path = tree.path(name);
    group.files.push_back(std::move(file));
  }
  group.files[0].expected = "4: ACTIVE";
  group.files[1].limit = 255;
  group.files[5].folder = true;
  group.files[5].expected = "eth0";
  using Kind = SeriesPlan::Kind;
  const auto add = [&](const char* key, Kind kind, std::vector<std::uint32_t> files) {
    SeriesPlan series;
    series.key = key;
    series.kind = kind;
    series.files = std::move(files);
    series.value = 4;
    group.series.push_back(std::move(series));
  };
  add("nic/x#sum", Kind::counter, {0, 1, 2, 3});
  add("nic/x#in", Kind::rate, {2});
  add("nic/x#out", Kind::rate, {3, 1});
  add("host/h#power", Kind::power, {4});
  add("gpu/x#temperature", Kind::temperature, {4});
  add("nic/x#held", Kind::held, {});
  FileWatchOptions options;
  options.name = "fuzz";
  options.slow_rounds = 2;
  options.groups.push_back(std::move(group));
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder tree;
  for (const char* name : kFiles) std::filesystem::remove_all(tree.path(name));
  tree.write("state", "4: ACTIVE\n");
  tree.write("net/eth0", "");
  const auto sink = std::make_shared<CountingSink>();
  FileWatch watch(sink, plan(tree));
  bool goes_on = true;
  const auto round = [&] {
    const int before = sink->samples;
    goes_on = watch.round();
    WatchingSink::demand(goes_on ? sink->samples > before : sink->samples == before);
    WatchingSink::demand(sink->notices == (goes_on ? 0 : 1));
  };
  std::string_view text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 2048));
  while (!text.empty() && goes_on) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) {
      round();
      continue;
    }
    tree.write(kFiles[static_cast<unsigned char>(line[0]) % kFiles.size()], std::string(line.substr(1)));
  }
  if (goes_on) round();
  return 0;
}
