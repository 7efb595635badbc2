// Times the vendor child's rounds against the stand-in library: a fast round, and a whole pass of the slow lane.
// Prints microseconds for all GPUs (median of 50, 95th percentile) and how many values came: vendor_rounds [GPUS].
#include <algorithm>
#include <cstdio>

#include "../test/child_parts.h"

using namespace faultline;

namespace {

struct Spread {
  double median, p95;
};

Spread spread(std::vector<std::int64_t> times_ns) {
  std::ranges::sort(times_ns);
  const auto at = [&](double part) { return static_cast<double>(times_ns[static_cast<std::size_t>(part * static_cast<double>(times_ns.size() - 1))]) / 1000; };
  return {at(0.5), at(0.95)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string gpus = argc > 1 ? argv[1] : "8";
  for (const char* architecture : {"ampere", "hopper", "blackwell"}) {
    std::string text = "devices " + gpus + "\ngeneration r580\n";
    for (int i = 0; i < std::atoi(gpus.c_str()); ++i) text += "gpu." + std::to_string(i) + ".architecture " + architecture + "\n";
    checks::ChildParts child(text);
    Sampler sampler(child.backend, child.parts, child.devices);
    std::vector<std::int64_t> fast, slow;
    std::uint64_t fast_values = 0;
    for (int i = 0; i < 51; ++i) {
      const std::int64_t began = monotonic_now();
      sampler.round(false);
      if (i > 0) fast.push_back(monotonic_now() - began);
      child.samples.clear();
      child.drain();
      if (fast_values == 0) for (const auto& device : child.samples) fast_values += device.second.size();
    }
    std::uint64_t values = 0;
    std::int64_t worst_slice = 0;
    for (int i = 0; i < 51; ++i) {
      const std::uint64_t before = child.answers.values();
      std::int64_t spent = 0;
      child.begin_pass();
      while (!child.lane->idle()) {
        const std::int64_t began = monotonic_now();
        child.slice();
        const std::int64_t took = monotonic_now() - began;
        spent += took;
        if (i > 0) worst_slice = std::max(worst_slice, took);
        child.drain();
      }
      if (i > 0) slow.push_back(spent);
      values = child.answers.values() - before;
    }
    const Spread f = spread(fast), s = spread(slow);
    std::printf("%-9s %s GPUs  fast round %.0f us (p95 %.0f), %llu values  slow pass %.0f us (p95 %.0f), %llu values, longest slice %.0f us\n",
                architecture, gpus.c_str(), f.median, f.p95, static_cast<unsigned long long>(fast_values), s.median, s.p95,
                static_cast<unsigned long long>(values), static_cast<double>(worst_slice) / 1000);
  }
  return 0;
}
