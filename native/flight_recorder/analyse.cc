// The whole way from paths to the verdict document.
#include "flight_recorder/analyse.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "flight_recorder/files/file.h"
#include "flight_recorder/helper.h"
#include "flight_recorder/join/age.h"
#include "flight_recorder/join/join.h"
#include "flight_recorder/limits.h"
#include "flight_recorder/load/job.h"
#include "flight_recorder/parse/json.h"
#include "flight_recorder/parse/pickle.h"
#include "flight_recorder/report/report.h"
#include "flight_recorder/summary/summary.h"
#include "flight_recorder/summary/summary_lines.h"

namespace faultline::flight_recorder {
namespace {

bool is_blank(unsigned char each) { return each == ' ' || each == '\n' || each == '\r' || each == '\t'; }

class Analysis {
 public:
  explicit Analysis(Job job = {}) : job_(std::move(job)) {}

  void refuse(std::string path, std::uint64_t offset, int opcode, std::string why) {
    RankDump refused;
    refused.rank = name_parts(path).rank.value_or(-1);
    refused.path = std::move(path);
    refused.rejection = Rejection{offset, opcode, std::move(why)};
    job_.refused.push_back(std::move(refused));
  }

  // `read`: from these bytes, by `parse`. `named`: the file was asked for; of what a folder holds, what is not a dump is
  // passed over.
  void take(const std::string& path, std::span<const unsigned char> bytes, const std::optional<Dump>& read, bool named,
            std::int64_t modified_ns) {
    if (!read) return take_summaries(path, bytes, named);
    const Dump& dump = *read;
    if (is_summary(dump)) return summarised(dump, path, 0);
    const bool is_dump = dump.rows.size() > 0 || dump.entries_listed || dump.find(Name::pg_status) ||
                         (dump.find(Name::version) && dump.find(Name::pg_config));
    const NameParts name = name_parts(path);
    // A folder may hold other things: whole JSON that is not a dump, and what is neither pickled nor named like a rank.
    const bool other_json = !dump.rejection && !dump.truncated && !looks_pickled(bytes);
    if (!is_dump && !named && (other_json || (!name.rank && !looks_pickled(bytes)))) return;
    const std::string_view version = dump.string(dump.find(Name::version));
    if (!is_dump && (dump.rejection || dump.truncated) && !begins_like_a_dump(bytes)) {
      return refuse(path, 0, -1, "is neither a pickled dump nor one in JSON: it begins with " + beginning(bytes));
    }
    if (dump.rejection && dump.rows.size() == 0) {
      return refuse(path, dump.rejection->offset, dump.rejection->opcode, dump.rejection->why);
    }
    if (!is_dump && !dump.truncated) return refuse(path, 0, -1, "is not a flight-recorder dump");
    if (!version.empty() && !version.starts_with("1.") && !version.starts_with("2.")) {
      return refuse(path, 0, -1, "has format version " + std::string(version.substr(0, 16)) + ", which is not known");
    }
    RankDump made;
    made.path = path;
    made.dumped_ns = modified_ns;
    made.host = name.host;
    load(dump, job_, made);
    made.truncated = made.truncated || dump.rejection.has_value();
    made.rejection = dump.rejection;
    made.rank = name.rank.value_or(-1);
    const auto possible = possible_ranks(job_, made);
    if (possible.size() == 1) made.rank = possible[0];
    if (made.rank < 0) return refuse(path, 0, -1, "neither its name nor its content says which rank wrote it");
    job_.dumps.push_back(std::move(made));
  }

  // `job`: as Wanted::job. Ranks that come late do not depend on what does not move on.
  void join(Join& join, const std::string& job, std::vector<std::string>& said, Helper* helper = nullptr) {
    settle_summaries(job_, job, said);
    settle_ranks();
    join_groups(join);
    const auto standstill = [&join] {
      find_mismatches(join);
      find_stalls(join);
      drop_young(join);
      find_verdicts(join);
    };
    Helper::both(helper, standstill, [&join] { find_stragglers(join); });
  }

  Job& job() { return job_; }

 private:
  void take_summaries(const std::string& path, std::span<const unsigned char> bytes, bool named) {
    bool any = false;
    each_summary(bytes, [&](std::uint64_t offset, std::string_view text) {
      any = true;
      if (text.size() > MAX_SUMMARY_BYTES * (MAX_SUMMARY_RANKS + 1)) return refuse(path, offset, -1, "a summary that is longer than any can be");
      Dump dump(text.size());
      read_json({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, dump);
      if (dump.rejection) return refuse(path, offset, -1, "a summary that is not JSON: " + dump.rejection->why);
      if (dump.truncated) return refuse(path, offset, -1, "a summary that was cut off");
      summarised(dump, path, offset);
    });
    if (!any && named) refuse(path, 0, -1, "holds no summary of flight-recorder dumps");
  }

  void summarised(const Dump& dump, const std::string& path, std::uint64_t offset) {
    if (take_summary(dump, path, job_) == 0) refuse(path, offset, -1, "a summary that tells of no rank");
  }

  // A dump is a mapping: PROTO, an empty one, or one behind a mark; `{` with blanks before it in JSON. A pickle that begins
  // with a global is one too, and is reported as what it is. Of a file that is empty nothing can be said.
  static bool begins_like_a_dump(std::span<const unsigned char> bytes) {
    const auto first = std::find_if(bytes.begin(), bytes.end(), [](unsigned char each) { return !is_blank(each); });
    return bytes.empty() || (first != bytes.end() && *first == '{') || std::string_view("\x80}(c").find(static_cast<char>(bytes[0])) != std::string_view::npos;
  }

  static std::string beginning(std::span<const unsigned char> bytes) {
    std::string shown = "\"";
    for (const unsigned char each : bytes.first(std::min<std::size_t>(bytes.size(), 16))) {
      constexpr std::string_view DIGITS = "0123456789abcdef";
      if (each >= 0x20 && each < 0x7f) shown += static_cast<char>(each);
      else shown += {'\\', 'x', DIGITS[each >> 4], DIGITS[each & 15]};
    }
    return shown + "\"";
  }

  static bool looks_pickled(std::span<const unsigned char> bytes) { return !bytes.empty() && bytes[0] == 0x80; }

  // Of several files of one rank the newest counts.
  void settle_ranks() {
    std::stable_sort(job_.dumps.begin(), job_.dumps.end(), [](const RankDump& a, const RankDump& b) {
      return std::tuple(a.rank, -a.newest_ns, a.path) < std::tuple(b.rank, -b.newest_ns, b.path);
    });
    std::vector<RankDump> kept;
    for (RankDump& dump : job_.dumps) {
      if (!kept.empty() && kept.back().rank == dump.rank && dump.summarised) continue;
      if (!kept.empty() && kept.back().rank == dump.rank) {
        refuse(dump.path, 0, -1, "is an older dump of a rank that has a newer one");
        job_.refused.back().rank = dump.rank;
      } else {
        kept.push_back(std::move(dump));
      }
    }
    job_.dumps = std::move(kept);
    std::sort(job_.refused.begin(), job_.refused.end(),
              [](const RankDump& a, const RankDump& b) { return std::tie(a.rank, a.path) < std::tie(b.rank, b.path); });
  }

  Job job_;
};

// Nothing for a file of summaries. The dump must not outlive the bytes.
void parse(std::span<const unsigned char> bytes, std::optional<Dump>& dump) {
  if (holds_summaries(bytes)) return;
  dump.emplace(bytes.size());
  dump->frames_on_demand = true;
  read_dump(bytes, *dump);
}

// Files are read side by side, and taken into the job in the order they were given: numbers of texts and of operations are then
// the same as with one thread, and so is every answer.
void read_files(const NextFile& next, Analysis& analysis, std::vector<std::string>& errors, Helper* helper) {
  std::mutex giving;  // of `next` and what follows
  std::size_t given = 0;
  bool ended = false;
  Turns turns;
  const auto read = [&](unsigned reader) {
    try {
      while (true) {
        std::unique_lock lock(giving);
        std::optional<GivenFile> file;
        if (!ended) file = next(reader);
        ended = !file;
        if (ended) return;
        const std::size_t number = given++;
        lock.unlock();
        std::optional<Dump> dump;
        const bool readable = file->folder_error.empty() && file->read.error.empty();
        if (readable) parse(file->read.bytes, dump);
        if (!turns.wait(number)) return;
        if (readable) analysis.take(file->path, file->read.bytes, dump, file->named, file->read.modified_ns);
        else if (file->folder_error.empty()) analysis.refuse(file->path, 0, -1, file->read.error);
        else errors.push_back(file->folder_error);
        turns.pass();
      }
    } catch (...) {
      turns.give_up();
      throw;
    }
  };
  Helper::both(helper, [&read] { read(0); }, [&read] { read(1); });
}

}  // namespace

void read_dump(std::span<const unsigned char> bytes, Dump& dump) {
  std::size_t first = 0;
  while (first < bytes.size() && is_blank(bytes[first])) ++first;
  if (first < bytes.size() && bytes[first] == '{') read_json(bytes, dump);
  else read_pickle(bytes, dump);
}

std::string analyse_given(const NextFile& next, const Wanted& wanted) try {
  std::vector<std::string> errors;
  Analysis analysis;
  read_files(next, analysis, errors, wanted.helper);
  Join join(analysis.job());
  analysis.join(join, wanted.job, errors, wanted.helper);
  if (wanted.summary != nullptr) *wanted.summary = summary_of(analysis.job());
  return report(join, errors, wanted.length);
} catch (const std::bad_alloc&) {
  return {};
}

std::string analyse_job(Job job) {
  Analysis analysis(std::move(job));
  Join join(analysis.job());
  std::vector<std::string> errors;
  analysis.join(join, {}, errors);
  return report(join, errors);
}

std::string analyse_bytes(const std::vector<NamedBytes>& dumps) {
  Analysis analysis;
  for (const NamedBytes& each : dumps) {
    std::optional<Dump> dump;
    parse(each.bytes, dump);
    analysis.take(each.name, each.bytes, dump, true, 0);
  }
  Join join(analysis.job());
  std::vector<std::string> errors;
  analysis.join(join, {}, errors);
  return report(join, errors);
}

}  // namespace faultline::flight_recorder
