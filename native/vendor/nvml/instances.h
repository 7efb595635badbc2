// How MIG splits a GPU, reported when it changes, and what can be read of each instance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vendor/nvml/asker.h"
#include "vendor/nvml/gpm.h"

namespace faultline::nvml {

class Instances {
 public:
  explicit Instances(Asker& asker) : asker_(asker) {}

  // Whether the GPU is split; asked again each pass.
  void mode(Gpu& gpu);
  bool split() const { return mode_ == kMigEnabled; }
  // The mode changed since the instances were listed, or one of them answers no more.
  bool changed() const { return stale_ || mode_ != listed_mode_; }
  void list(Gpu& gpu);
  // Errors and performance of each instance, as one of its own.
  void read(Gpu& gpu);
  // The device is split, so that processes are on its instances.
  bool lists_processes() const { return split() && !instances_.empty(); }
  // False when one of them gave no list.
  bool processes(Gpu& gpu, std::size_t most, std::vector<ComputeProcess>& found);
  // For the table of capabilities.
  std::string text() const;

 private:
  struct Instance : MigInstance {
    Device handle = nullptr;
  };

  bool open(Gpu& gpu, unsigned index, Instance& out);
  void errors(Gpu& gpu, const Instance& of);

  Asker& asker_;
  std::optional<unsigned> mode_;
  std::optional<unsigned> listed_mode_;
  bool stale_ = false;
  std::vector<Instance> instances_;
  std::map<std::uint32_t, Gpm> monitors_;  // by GPU instance
};

}  // namespace faultline::nvml
