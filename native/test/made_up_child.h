// A made-up vendor child: it lives in this process, by a clock of the test, and does what the test says.
#pragma once

#include <signal.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/vendor/child.h"
#include "core/vendor/protocol.h"
#include "vendor/known_devices.h"

namespace checks {

using namespace faultline;

// A host's devices as its driver has them, in the order of their indices.
struct Machine {
  std::int64_t now_ns = 1'000'000'000;
  std::vector<std::string> devices;
  std::map<std::string, bool> hanging;
  std::map<std::string, double> energy;  // joules
  bool unkillable = false;               // a child that hangs does not die
};

class MadeUpChild final : public VendorChild {
 public:
  MadeUpChild(Machine& machine, const ChildOrders& orders)
      : orders_(orders.devices), machine_(machine), ring_(std::make_unique<RingLayout>()), started_ns_(machine.now_ns) {
    ring_format(*ring_, orders.interval_ns);
    reader_ = std::make_unique<RingReader>(*ring_, started_ns_);
  }

  pid_t pid() const override { return 4711; }
  int pid_fd() const override { return 0; }
  int wake_fd() const override { return 0; }
  std::int64_t started_ns() const override { return started_ns_; }
  std::int64_t now_ns() const override { return machine_.now_ns; }
  RingReader& reader() override { return *reader_; }
  void acknowledge() override {}
  void set_interval(std::int64_t) override {}
  void signal(int number) override {
    if (status_ || (number == SIGTERM && hung_) || (hung_ && machine_.unkillable)) return;
    end(number);
  }
  bool reap(int& status) override {
    if (!status_ || reaped_) return false;
    reaped_ = true;
    status = *status_;
    return true;
  }

  bool alive() const { return !status_; }
  bool reaped() const { return reaped_; }
  RingLayout& ring() { return *ring_; }
  const KnownDevices& orders() const { return orders_; }
  // What waitpid gives: a signal, or a code in the second byte.
  void end(int status) { status_ = status; }
  void exit(int code) { end(code << 8); }

  // A step of its life: the devices listed at the first, then a round over those that it has open.
  void step() {
    if (status_ || hung_ || quiet) return;
    if (!listed_) return list();
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
      if (seats_[seat].empty()) continue;
      if (machine_.hanging[seats_[seat]]) return hang(VendorCall::kFieldValues, seat);
      sample(seat, Quantity::kPower, power_of(seats_[seat]));
      sample(seat, Quantity::kEnergy, machine_.energy[seats_[seat]]);
    }
    ++ring_->ticks;
  }

  // A number that tells whose it is.
  static double power_of(const std::string& pci) { return std::stoi(pci.substr(5, 2), nullptr, 16); }
  const std::vector<std::string>& open() const { return seats_; }
  void sample(std::uint32_t seat, Quantity quantity, double value) {
    ring_push(*ring_, SampleRecord{machine_.now_ns, value, seat, static_cast<std::uint32_t>(quantity)});
  }
  void notice(NoticeType type, std::uint32_t seat, const char* name, double value = 0) {
    NoticeRecord record{};
    record.monotonic_ns = machine_.now_ns;
    record.type = static_cast<std::uint32_t>(type);
    record.device = seat;
    record.value = value;
    put_text(record.name, name);
    if (type == NoticeType::kDevice) put_text(record.pci, name);
    ring_push(*ring_, record);
  }

  bool quiet = false;

 private:
  void hang(VendorCall call, std::uint32_t where) {
    ring_->calls[0].what = static_cast<std::uint64_t>(call) << 32 | where;
    ring_->calls[0].start_ns = machine_.now_ns;
    hung_ = true;
  }

  void list() {
    const auto& known = orders_.seats();
    seats_.resize(known.size());
    std::size_t explained = 0;
    for (std::uint32_t seat = 0; seat < known.size(); ++seat) {
      const bool there = std::ranges::find(machine_.devices, known[seat].pci) != machine_.devices.end();
      if (there) ++explained;
      if (!there || known[seat].alone) continue;
      if (machine_.hanging[known[seat].pci]) return hang(VendorCall::kHandleByPci, seat);
      seats_[seat] = known[seat].pci;
    }
    for (std::uint32_t index = 0; index < machine_.devices.size() && explained < machine_.devices.size(); ++index) {
      const std::string& pci = machine_.devices[index];
      if (orders_.seat_of(pci) || orders_.index_alone(index)) continue;
      if (machine_.hanging[pci]) return hang(VendorCall::kHandleByIndex, kFirstIndex + index);
      seats_.push_back(pci);
    }
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
      if (!seats_[seat].empty()) notice(NoticeType::kDevice, seat, seats_[seat].c_str());
    }
    notice(NoticeType::kState, kNoDevice, "running");
    listed_ = true;
  }

  KnownDevices orders_;
  Machine& machine_;
  std::unique_ptr<RingLayout> ring_;
  std::unique_ptr<RingReader> reader_;
  std::int64_t started_ns_;
  std::vector<std::string> seats_;
  std::optional<int> status_;
  bool reaped_ = false, listed_ = false, hung_ = false;
};

}  // namespace checks
