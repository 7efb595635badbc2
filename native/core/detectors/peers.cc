// Peers: one series against the median of all series of the same selection, or of those of its group.
#include "core/detectors/rules.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "core/detectors/latch.h"

namespace faultline {
namespace {

struct Member {
  std::optional<Sample> last;
  double group = 0;
};

struct Crowd {
  std::deque<Member> members;  // a deque: each detector keeps a reference to its own
  std::vector<double> scratch;
};

class PeerDetector final : public SeriesDetector {
 public:
  PeerDetector(const PeersSpec& spec, std::shared_ptr<Crowd> crowd)
      : spec_(spec),
        latch_(spec.when == Side::above ? Worst::highest : Worst::lowest, {spec.dwell_ns, spec.clear_dwell_ns, 1}),
        crowd_(std::move(crowd)),
        self_(crowd_->members.emplace_back()) {}

  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    if (self_.last) interval_ns_ = sample.time_ns - self_.last->time_ns;
    self_ = {sample, reading.group};
    gather(sample.time_ns);
    std::vector<double>& values = crowd_->scratch;
    if (values.size() < spec_.min_peers + 1) return latch_.update(sample, Condition::within, 0);
    const double median = median_of(values);
    const double off = (sample.value - median) * (spec_.when == Side::above ? 1 : -1);
    // A ratio says nothing about a median of zero.
    const bool beyond = median != 0 && off > spec_.ratio * std::abs(median);
    return latch_.update(sample, ruled(beyond ? Condition::beyond : Condition::within, reading.standing), median);
  }

 private:
  // A peer that has fallen silent says nothing about now: its last value counts for three of our own intervals.
  void gather(std::int64_t now_ns) {
    const std::int64_t fresh_ns = std::max(spec_.dwell_ns, 3 * interval_ns_);
    crowd_->scratch.clear();
    for (const Member& peer : crowd_->members) {
      // What has no group has no peers: NaN equals nothing.
      if (peer.group != self_.group || !peer.last || peer.last->time_ns < now_ns - fresh_ns) continue;
      crowd_->scratch.push_back(peer.last->value);
    }
  }

  static double median_of(std::vector<double>& values) {
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    if (values.size() % 2 == 1) return *half;
    return *half / 2 + *std::max_element(values.begin(), half) / 2;
  }

  PeersSpec spec_;
  Latch latch_;
  std::shared_ptr<Crowd> crowd_;
  Member& self_;
  std::int64_t interval_ns_ = 0;
};

class PeerGroup final : public DetectorGroup {
 public:
  explicit PeerGroup(const PeersSpec& spec) : spec_(spec) {}
  std::unique_ptr<SeriesDetector> attach() override { return std::make_unique<PeerDetector>(spec_, crowd_); }

 private:
  PeersSpec spec_;
  std::shared_ptr<Crowd> crowd_ = std::make_shared<Crowd>();
};

}  // namespace

std::unique_ptr<DetectorGroup> make_peers(const PeersSpec& spec) { return std::make_unique<PeerGroup>(spec); }

}  // namespace faultline
