// How MIG splits a GPU, told when it changes, and what can be read of each instance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vendor/nvml/asker.h"
#include "vendor/nvml/gpm.h"

namespace faultline {

class Instances {
 public:
  Instances(Asker& asker, Reporter& reporter) : asker_(asker), reporter_(reporter) {}

  // Whether the GPU is split; asked anew each pass.
  void mode(std::size_t at, Gpu& gpu);
  bool split(std::size_t at) const { return at < states_.size() && states_[at].mode == nvml::kMigEnabled; }
  // The mode changed since the instances were listed, or one of them answers no more.
  bool changed(std::size_t at) const {
    return at < states_.size() && (states_[at].stale || states_[at].mode != states_[at].listed_mode);
  }
  void list(std::size_t at, Gpu& gpu);
  // Errors and performance of each instance, as one of its own.
  void read(std::size_t at, Gpu& gpu);
  // For the table of capabilities.
  std::string text(std::size_t at) const;

 private:
  struct Instance : MigInstance {
    nvml::Device handle = nullptr;
  };
  struct State {
    std::optional<unsigned> mode;
    std::optional<unsigned> listed_mode;
    bool stale = false;
    std::vector<Instance> instances;
    std::map<std::uint32_t, Gpm> monitors;  // by GPU instance
  };

  State& state(std::size_t at);
  bool instance(Gpu& gpu, unsigned index, Instance& out);
  void errors(State& known, Gpu& gpu, const Instance& of);

  Asker& asker_;
  Reporter& reporter_;
  std::vector<State> states_;
};

}  // namespace faultline
