// Two readers against one on the same files, whole, cut, damaged and refused: every byte of what they say is the same. Threads
// share memory here, so it runs under TSan as well.
#include <new>
#include <random>
#include <stdexcept>
#include <vector>

#include "flight_recorder/analyse.h"
#include "test/check.h"
#include "test/flight_recorder_jobs.h"
#include "test/flight_recorder_pickles.h"

using namespace faultline::flight_recorder;

namespace {

struct Said {
  std::string document, summary;
  bool operator==(const Said&) const = default;
};

GivenFile given(std::size_t number, const std::string& text) {
  GivenFile file;
  file.path = "/dumps/nccl_trace_rank_" + std::to_string(number);
  file.read.bytes.assign(text.begin(), text.end());
  file.read.modified_ns = 1795818744544767432;
  return file;
}

Said said(const std::vector<GivenFile>& files, Helper* helper) {
  std::size_t next = 0;
  Said said;
  const auto give = [&](unsigned) -> std::optional<GivenFile> {
    if (next == files.size()) return std::nullopt;
    return files[next++];
  };
  said.document = analyse_given(give, {.summary = &said.summary, .helper = helper});
  return said;
}

// Of several programs, so that what comes first gives its numbers to texts, operations and stacks.
std::vector<GivenFile> job(std::size_t ranks, std::mt19937_64& random) {
  constexpr const char* OPERATIONS[]{"nccl:all_reduce", "nccl:broadcast", "nccl:send 0->1", "nccl:_all_gather_base"};
  std::vector<GivenFile> files;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::string entries;
    // Files that take unequal times to read.
    const auto count = static_cast<std::int64_t>(1 + random() % (rank % 7 == 0 ? 600 : 40));
    for (std::int64_t seq = 1; seq <= count; ++seq) {
      entries += pickles::entry(seq, seq < count ? "completed" : "scheduled", OPERATIONS[random() % 4], static_cast<std::int64_t>(16 << random() % 3));
    }
    std::string text = std::string("\x80\x02", 2) +
                       pickles::dict(pickles::pair("version", pickles::text("2.10")) + pickles::pair("entries", pickles::list(entries))) + ".";
    switch (random() % 8) {
      case 0: text.resize(random() % text.size()); break;
      case 1: text[random() % text.size()] = static_cast<char>(random()); break;
      case 2: text.insert(random() % text.size(), text.substr(random() % text.size(), 40)); break;
      default: break;
    }
    files.push_back(given(rank, text));
    if (random() % 16 == 0) files.back().read.error = "Permission denied";
    if (random() % 16 == 0) files.back().folder_error = "/dumps/" + std::to_string(rank) + ": Permission denied";
  }
  return files;
}

}  // namespace

int main() {
  Helper helper;
  checks::test("jobs of many programs, damaged in places, are the same by one reader and by two", [&] {
    std::mt19937_64 random(11);
    for (int run = 0; run < 60; ++run) {
      const std::vector<GivenFile> files = job(1 + random() % 40, random);
      const Said one = said(files, nullptr);
      CHECK(!one.document.empty());
      CHECK(said(files, &helper) == one);
    }
  });
  checks::test("so is a job in every form", [&] {
    for (const jobs::Format& format : jobs::FORMATS) {
      for (const dialects::Dialect dialect : {dialects::Dialect::c10, dialects::Dialect::json}) {
        std::vector<GivenFile> files;
        for (int rank = 0; rank < jobs::RANKS; ++rank) files.push_back(given(static_cast<std::size_t>(rank), dialects::written(jobs::dump(rank, format), dialect)));
        CHECK(said(files, &helper) == said(files, nullptr));
      }
    }
  });
  checks::test("no file at all is the same as well", [&] { CHECK(said({}, &helper) == said({}, nullptr)); });
  checks::test("what is thrown while a reader waits for its turn ends both, and the helper can be used again", [&] {
    const std::string text = pickles::dump(200, 100);
    for (int run = 0; run < 40; ++run) {
      std::size_t count = 0;
      const auto give = [&](unsigned) -> std::optional<GivenFile> {
        if (count == static_cast<std::size_t>(run)) throw std::bad_alloc();
        return given(count++, text);
      };
      CHECK(analyse_given(give, {.helper = &helper}).empty());
    }
    std::string which;
    try {
      Helper::both(&helper, [] { throw std::runtime_error("here"); }, [] { throw std::runtime_error("there"); });
    } catch (const std::runtime_error& error) {
      which = error.what();
    }
    CHECK_EQ(which, "here");
    bool done = false;
    Helper::both(&helper, [] {}, [&done] { done = true; });
    CHECK(done);
  });
  return checks::result();
}
