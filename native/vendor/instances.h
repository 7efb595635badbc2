// How MIG splits a GPU, and which compute processes run on it; told when it changes.
#pragma once

#include <string>
#include <vector>

#include "vendor/asker.h"

namespace faultline {

class Instances {
 public:
  Instances(Asker& asker, Reporter& reporter) : asker_(asker), reporter_(reporter) {}

  // Whether the GPU is split; asked anew each pass.
  void mode(std::size_t at, Gpu& gpu);
  bool split(std::size_t at) const { return at < states_.size() && states_[at].mode == nvml::kMigEnabled; }
  // The mode changed since the instances were listed.
  bool changed(std::size_t at) const { return at < states_.size() && states_[at].mode != states_[at].listed_mode; }
  void list(std::size_t at, Gpu& gpu);
  void processes(std::size_t at, Gpu& gpu);
  // For the table of capabilities.
  std::string text(std::size_t at) const;

 private:
  struct State {
    unsigned mode = 0;
    unsigned listed_mode = 0;
    std::vector<MigInstance> instances;
    std::string processes = "[]";
  };

  State& state(std::size_t at);
  bool instance(Gpu& gpu, unsigned index, MigInstance& out);

  Asker& asker_;
  Reporter& reporter_;
  std::vector<State> states_;
};

}  // namespace faultline
