// A table of processes over a procfs of files: one scan of it, waited for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "check.h"
#include "core/processes/process_table.h"
#include "temporary_folder.h"

namespace process_table_under_test {

using namespace faultline;

// One scan, waited for.
inline ProcessScan scan_of(const std::shared_ptr<ProcessTable>& table, std::vector<std::uint32_t> holders = {}) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable came;
    bool there = false;
    ProcessScan scan;
  };
  const auto answer = std::make_shared<Answer>();
  CHECK(table->scan(std::move(holders), [answer](ProcessScan scan) {
    const std::lock_guard lock(answer->mutex);
    answer->scan = std::move(scan);
    answer->there = true;
    answer->came.notify_all();
  }));
  std::unique_lock lock(answer->mutex);
  while (!answer->there) answer->came.wait(lock);
  return answer->scan;
}

inline ProcessTableOptions options_of(const TemporaryFolder& folder) {
  return {folder.root(), {"HOME", "RANK"}, {1}, {1}, {0}, {"job_", "pod"}, {"libtorch"}, {"/dev/infiniband/uverbs"}};
}

}  // namespace process_table_under_test
