// Asks `faultline-environ` for what this process may not read itself of others, and never waits long for it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "core/processes/environ_answer.h"
#include "core/processes/process_files.h"

namespace faultline {

// What is known of the reader, by its last answer or the lack of one.
enum class ReaderState : std::uint8_t { unasked, absent, closed, other_build, late, powerless, perfmon, ptrace };

class EnvironClient {
 public:
  // `socket`: the reader's. Nothing is connected before something is asked.
  explicit EnvironClient(std::string socket, std::int64_t limit_ns = 700'000'000);
  ~EnvironClient();
  EnvironClient(const EnvironClient&) = delete;
  EnvironClient& operator=(const EnvironClient&) = delete;

  // Returns 0 and an answer, or an errno: EACCES where no reader can be asked. From any thread.
  // `inode`: of the log, where that is wanted.
  int ask(std::uint32_t pid, std::uint64_t start_ticks, std::uint32_t wants, environ_reader::Answer& answer, std::uint64_t inode = 0);
  ReaderState state() const;
  // Whether it answers now, and did not when it was asked last: once. Connects where that is due.
  bool came_back();
  // The kernel holds the part of it that has the right to procfs.
  bool shut_off() const;
  // It sees which files processes have open.
  bool lists_files() const;

 private:
  int exchange(const environ_reader::Request& request, environ_reader::Answer& answer);
  bool connect();
  void disconnect(ReaderState why);

  const std::string socket_;
  const std::int64_t limit_ns_;
  mutable std::mutex mutex_;  // of what follows
  int connection_ = -1;
  bool answered_ = false;  // this connection has
  bool missed_ = false;    // it was asked in vain
  std::uint64_t number_ = 0;
  std::int64_t next_try_ns_ = 0;
  std::int64_t pause_ns_ = 0;
  ReaderState state_ = ReaderState::unasked;
  bool shut_off_ = false;
  bool lists_files_ = false;
  // Processes whose files hung: asking for one again would end the reader again.
  std::deque<std::pair<std::uint32_t, std::uint64_t>> hung_;
};

// The files of procfs, with the reader's help where they are closed to this process.
class HelpedFiles final : public ProcessFiles {
 public:
  explicit HelpedFiles(std::string socket) : client_(std::move(socket)) {}
  int variables(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& names,
                std::vector<std::optional<std::string>>& values) const override;
  int libraries(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& wanted,
                std::vector<std::string>& found) const override;
  int open_files(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& devices,
                 std::vector<OpenFile>& open) const override;
  int input(const std::string& folder, const ProcessKey& process, bool near, std::string& target) const override;
  int lend_log(const std::string& folder, const ProcessKey& process, std::uint64_t inode) const override;
  const EnvironClient* reader() const override { return &client_; }
  bool regained() const override { return client_.came_back(); }

 private:
  mutable EnvironClient client_;
};

}  // namespace faultline
