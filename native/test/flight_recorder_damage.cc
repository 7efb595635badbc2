// Every cut and changed bytes of small dumps in each form, by sample or each value (exhaustive.h): what the reader makes of them,
// and what the verdict is.
#include <sys/resource.h>

#include <cstring>
#include <set>

#include "flight_recorder/analyse.h"
#include "test/check.h"
#include "test/exhaustive.h"
#include "test/flight_recorder_jobs.h"

using namespace faultline::flight_recorder;
using dialects::Dialect;
using dialects::written;

namespace {

const int EVERY = exhaustive::step(11);  // of the values of a byte
const auto CUT_EVERY = static_cast<std::size_t>(exhaustive::step(3));  // of the places where a dump may end

std::span<const unsigned char> bytes(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

long peak_kib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

bool same_row(const Dump& a, const Row& x, const Dump& b, const Row& y) {
  return x.record_id == y.record_id && x.pg_id == y.pg_id && x.collective_seq == y.collective_seq && x.op_id == y.op_id &&
         x.created_ns == y.created_ns && x.completed_ns == y.completed_ns && x.state == y.state && x.retired == y.retired &&
         a.text(x.pg_name) == b.text(y.pg_name) && a.text(x.profiling_name) == b.text(y.profiling_name) &&
         (x.frames == UINT32_MAX) == (y.frames == UINT32_MAX);
}

template <typename Body>
void each_form(Body body) {
  for (const jobs::Format& format : jobs::FORMATS) {
    for (const Dialect dialect : dialects::ALL) body(format, dialect);
  }
}

void reader() {
  checks::test("a job reads the same from every form", [] {
    each_form([](const jobs::Format& format, Dialect dialect) {
      const std::string text = written(jobs::dump(2, format), dialect);
      Dump dump(text.size());
      read_dump(bytes(text), dump);
      if (dialects::is_read(dialect)) {
        CHECK(!dump.rejection && !dump.truncated);
        CHECK_EQ(dump.rows.size(), 4u);
        CHECK_EQ(dump.rows[3].created_ns, 1795818744547767432);
        return;
      }
      // Large numbers as text: refused, by the place and the opcode.
      CHECK(dump.rejection.has_value());
      CHECK_EQ(dump.rejection->opcode, static_cast<unsigned char>(text[dump.rejection->offset]));
    });
  });
  checks::test("of a dump that ends anywhere the first entries are there, unchanged", [] {
    each_form([](const jobs::Format& format, Dialect dialect) {
      if (!dialects::is_read(dialect)) return;
      const std::string text = written(jobs::dump(2, format), dialect);
      Dump whole(text.size());
      read_dump(bytes(text), whole);
      std::size_t most = 0;
      for (std::size_t size = 0; size < text.size(); ++size) {
        // On the heap and no longer than it is: a read past the end is seen.
        const std::vector<unsigned char> kept(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
        Dump cut(size);
        read_dump(kept, cut);
        CHECK(cut.truncated && !cut.rejection);
        CHECK(cut.rows.size() >= most || cut.rows.size() + 1 == most);
        most = std::max(most, cut.rows.size());
        for (std::size_t at = 0; at < cut.rows.size(); ++at) CHECK(same_row(cut, cut.rows[at], whole, whole.rows[at]));
      }
      CHECK_EQ(most, whole.rows.size());
    });
  });
  checks::test("an entry that pairs could still come for is not whole", [] {
    using namespace pickles;
    const std::string open = std::string("\x80\x02}", 3) + text("entries") + "]}" + pair("record_id", "K\x02") + "s";
    for (const std::string& more : {std::string(), text("op_id"), text("op_id") + "K\x01", text("op_id") + dict(pair("record_id", "K\x01"))}) {
      Dump dump(open.size() + more.size());
      const std::string cut = open + more;
      read_dump(bytes(cut), dump);
      CHECK(dump.truncated);
      CHECK_EQ(dump.rows.size(), 0u);
    }
  });
  checks::test("both ways of frames read the same where an entry is put together from parts", [] {
    using namespace pickles;
    const std::string start = std::string("\x80\x02", 2) + text("frames") + "q" + std::string(1, '\0') + text("f") + "q\x01";
    const std::string first = dict(pair("record_id", "K\x01"));
    const std::string frames = join({"}(", std::string_view("h\x00](h\x01" "e", 7)});
    for (const std::string& more : {frames + "u" + frames, frames + "\x85" + "u}(", frames + ")" + std::string("h\x00]e%", 5)}) {
      const std::string all = start + first + more;
      Dump demanded(all.size()), whole(all.size());
      demanded.frames_on_demand = true;
      read_dump(bytes(all), demanded);
      read_dump(bytes(all), whole);
      CHECK_EQ(demanded.rows.size(), whole.rows.size());
      CHECK_EQ(demanded.rejection.has_value(), whole.rejection.has_value());
    }
  });
  checks::test("any changed byte is read or refused by place, opcode and reason, in bounded memory", [] {
    const long before = peak_kib();
    std::size_t longest = 0;
    each_form([&](const jobs::Format& format, Dialect dialect) {
      std::string text = written(jobs::dump(0, format), dialect);
      longest = std::max(longest, text.size());
      for (std::size_t at = 0; at < text.size(); ++at) {
        const char was = text[at];
        for (int value = static_cast<int>(at % EVERY); value < 256; value += EVERY) {
          text[at] = static_cast<char>(value);
          Dump dump(text.size());
          read_dump(bytes(text), dump);
          if (!dump.rejection) continue;
          CHECK(!dump.rejection->why.empty());
          CHECK(dump.rejection->offset < text.size());
          if (dialect == Dialect::json && text[0] != static_cast<char>(0x80)) continue;
          if (dump.rejection->opcode >= 0) CHECK_EQ(dump.rejection->opcode, static_cast<unsigned char>(text[dump.rejection->offset]));
        }
        text[at] = was;
      }
    });
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(peak_kib() - before <= static_cast<long>((longest * 3 + (std::size_t{8} << 20)) / 1024));
#else
    (void)before;
#endif
  });
}

struct Said {
  std::set<std::string> types;
  std::set<long> culprits;
};

Said verdict_of(const std::vector<std::string>& dumps) {
  std::vector<NamedBytes> named;
  for (std::size_t rank = 0; rank < dumps.size(); ++rank) named.push_back({"rank_" + std::to_string(rank), bytes(dumps[rank])});
  const std::string document = analyse_bytes(named);
  Said said;
  constexpr std::string_view TYPE = "{\"type\":\"", CULPRITS = "\"culprits\":[";
  for (std::size_t at = document.find(TYPE); at != std::string::npos; at = document.find(TYPE, at)) {
    at += TYPE.size();
    said.types.insert(document.substr(at, document.find('"', at) - at));
    at = document.find(CULPRITS, at);
    if (at == std::string::npos) break;
    at += CULPRITS.size();
    for (const char* digit = document.c_str() + at; *digit != ']';) {
      char* end = nullptr;
      said.culprits.insert(std::strtol(digit, &end, 10));
      digit = *end == ',' ? end + 1 : end;
    }
  }
  return said;
}

std::vector<std::string> job_in(const jobs::Format& format, Dialect dialect) {
  std::vector<std::string> dumps;
  for (int rank = 0; rank < jobs::RANKS; ++rank) dumps.push_back(written(jobs::dump(rank, format), dialect));
  return dumps;
}

void verdicts() {
  checks::test("the job's verdict is its truth in every form", [] {
    each_form([](const jobs::Format& format, Dialect dialect) {
      if (!dialects::is_read(dialect)) return;
      const Said said = verdict_of(job_in(format, dialect));
      CHECK(said.types == std::set<std::string>{"not_joined"});
      CHECK(said.culprits == std::set<long>{jobs::CULPRIT});
    });
  });
  checks::test("a dump that ends anywhere accuses no rank but the culprit", [] {
    each_form([](const jobs::Format& format, Dialect dialect) {
      if (!dialects::is_read(dialect)) return;
      std::vector<std::string> dumps = job_in(format, dialect);
      for (std::size_t rank = 0; rank < dumps.size(); ++rank) {
        const std::string whole = dumps[rank];
        // From another place in each rank's dump, so that all of them together are cut everywhere.
        for (std::size_t size = rank % CUT_EVERY; size < whole.size(); size += CUT_EVERY) {
          dumps[rank] = whole.substr(0, size);
          for (const long named : verdict_of(dumps).culprits) {
            CHECK_EQ(named, long{jobs::CULPRIT});
            if (named != jobs::CULPRIT) std::printf("  %s %s rank %zu cut at %zu of %zu\n", format.version, dialects::NAMES[int(dialect)], rank, size, whole.size());
          }
        }
        dumps[rank] = whole;
      }
    });
  });
  checks::test("a changed byte accuses the culprit, the rank whose dump it is in, or one of a pair that differs", [] {
    each_form([](const jobs::Format& format, Dialect dialect) {
      // Ranks 0 and 1 in c10's form value by value, the rest by sample.
      if (!dialects::is_read(dialect)) return;
      const bool all = dialect == Dialect::c10 && format.version == jobs::FORMATS[0].version;
      std::vector<std::string> dumps = job_in(format, dialect);
      for (std::size_t rank = 0; rank < dumps.size(); ++rank) {
        std::string& text = dumps[rank];
        const int step = EVERY * (all && rank < 2 ? 1 : 101);
        for (std::size_t at = 0; at < text.size(); ++at) {
          const char was = text[at];
          for (int value = static_cast<int>(at * 7) % step; value < 256; value += step) {
            text[at] = static_cast<char>(value);
            const Said said = verdict_of(dumps);
            const bool pair = said.types.contains("mismatch");
            for (const long named : said.culprits) {
              const bool own = named == static_cast<long>(rank), peer = pair && named == (static_cast<long>(rank) ^ 1);
              CHECK(named == jobs::CULPRIT || own || peer);
              if (named == jobs::CULPRIT || own || peer) continue;
              std::printf("  %s %s rank %zu byte %zu to %d: %ld is named\n", format.version, dialects::NAMES[static_cast<int>(dialect)],
                          rank, at, value, named);
            }
          }
          text[at] = was;
        }
      }
    });
  });
}

}  // namespace

int main() {
  reader();
  verdicts();
  return checks::result();
}
