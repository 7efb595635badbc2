// Asks `faultline-environ` for what this process may not read itself of others.
#include "core/processes/environ_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/peer_credentials.h"

namespace faultline {
namespace {

using environ_reader::Answer;
using environ_reader::Request;

constexpr std::int64_t kFirstPauseNs = 1'000'000'000;
constexpr std::int64_t kLongestPauseNs = 60'000'000'000;
constexpr std::size_t kMostHung = 64;

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_closed(int error) { return error == EACCES || error == EPERM; }

}  // namespace

EnvironClient::EnvironClient(std::string socket, std::int64_t limit_ns) : socket_(std::move(socket)), limit_ns_(limit_ns) {}

EnvironClient::~EnvironClient() {
  if (connection_ >= 0) ::close(connection_);
}

ReaderState EnvironClient::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool EnvironClient::shut_off() const {
  const std::lock_guard lock(mutex_);
  return shut_off_;
}

int EnvironClient::ask(std::uint32_t pid, std::uint64_t start_ticks, std::uint32_t wants, Answer& answer) {
  const std::lock_guard lock(mutex_);
  const std::pair process(pid, start_ticks);
  if (std::ranges::find(hung_, process) != hung_.end()) return ETIMEDOUT;
  for (bool again = true;; again = false) {
    const bool old = connection_ >= 0;
    if (!old && (now_ns() < next_try_ns_ || !connect())) {
      missed_ = true;
      return EACCES;
    }
    const int error = exchange({.list = allowed::kSum, .pid = pid, .wants = wants, .start_ticks = start_ticks, .number = ++number_}, answer);
    if (error == 0) return 0;
    // One that ended since, as with its service's restart, is asked for again; one that ends at this process is not.
    if (error == EPIPE && old && again) continue;
    if (error == EPROTO || error == EPIPE) {
      missed_ = true;
      return EACCES;
    }
    hung_.push_back(process);
    if (hung_.size() > kMostHung) hung_.pop_front();
    return ETIMEDOUT;
  }
}

bool EnvironClient::came_back() {
  const std::lock_guard lock(mutex_);
  if (!missed_ || (connection_ < 0 && (now_ns() < next_try_ns_ || !connect()))) return false;
  missed_ = false;
  return true;
}

int EnvironClient::exchange(const Request& request, Answer& answer) {
  const std::int64_t until_ns = now_ns() + limit_ns_;
  if (::send(connection_, &request, sizeof request, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof request)) {
    disconnect(ReaderState::closed);
    return EPIPE;
  }
  static thread_local std::array<char, environ_reader::kMostAnswer + 1> packet;
  for (;;) {
    pollfd wait{connection_, POLLIN, 0};
    const std::int64_t left_ns = std::max<std::int64_t>(until_ns - now_ns(), 0);
    const int ready = ::poll(&wait, 1, static_cast<int>(left_ns / 1'000'000) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      disconnect(ReaderState::late);
      return ETIMEDOUT;
    }
    const ssize_t count = ::recv(connection_, packet.data(), packet.size(), 0);
    if (count <= 0) {
      disconnect(ReaderState::closed);
      return answered_ ? ECONNRESET : EPIPE;
    }
    auto read = environ_reader::read_answer({packet.data(), static_cast<std::size_t>(count)});
    if (!read || read->head.list != allowed::kSum) {
      disconnect(ReaderState::other_build);
      return EPROTO;
    }
    if (read->head.number != request.number) continue;  // of an earlier request that was given up
    answer = std::move(*read);
    answered_ = true;
    pause_ns_ = 0;
    shut_off_ = answer.head.shut_off != 0;
    state_ = answer.head.way == environ_reader::kPerfmon  ? ReaderState::perfmon
             : answer.head.way == environ_reader::kPtrace ? ReaderState::ptrace
                                                          : ReaderState::powerless;
    return 0;
  }
}

bool EnvironClient::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool connected = fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  // Only root, as the service manager is, or we ourselves may pose as the reader.
  const auto peer = connected ? peer_credentials(fd) : std::nullopt;
  connection_ = fd;
  answered_ = false;
  if (peer && (peer->uid == 0 || peer->uid == ::geteuid())) {
    // One that answers this, and nothing of a certain process, has that process to blame.
    Answer hello;
    return exchange({.list = allowed::kSum, .number = ++number_}, hello) == 0;
  }
  disconnect(!connected && (error == ENOENT || error == ECONNREFUSED) ? ReaderState::absent : ReaderState::closed);
  return false;
}

void EnvironClient::disconnect(ReaderState why) {
  if (connection_ >= 0) ::close(connection_);
  connection_ = -1;
  // One that was of use is wanted back at once; one that cannot be had is asked ever more rarely.
  const bool useful = answered_ && why != ReaderState::other_build;
  pause_ns_ = useful ? 0 : std::clamp(2 * pause_ns_, kFirstPauseNs, kLongestPauseNs);
  next_try_ns_ = now_ns() + pause_ns_;
  state_ = why;
}

int HelpedFiles::variables(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& names,
                           std::vector<std::optional<std::string>>& values) const {
  const int error = ProcessFiles::variables(folder, process, names, values);
  if (!is_closed(error) || process.start_ticks == 0) return error;
  Answer answer;
  if (const int failed = client_.ask(process.pid, process.start_ticks, environ_reader::kWantsVariables, answer); failed != 0) return failed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const name = std::ranges::find(allowed::kNames, names[i]);
    if (name != std::end(allowed::kNames)) values[i] = std::move(answer.values[static_cast<std::size_t>(name - std::begin(allowed::kNames))]);
  }
  return answer.head.variables_error;
}

int HelpedFiles::libraries(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& wanted,
                           std::vector<std::string>& found) const {
  const int error = ProcessFiles::libraries(folder, process, wanted, found);
  if (!is_closed(error) || process.start_ticks == 0) return error;
  Answer answer;
  if (const int failed = client_.ask(process.pid, process.start_ticks, environ_reader::kWantsLibraries, answer); failed != 0) return failed;
  for (const std::string& library : wanted) {
    const auto* const part = std::ranges::find(allowed::kLibraries, library);
    if (part != std::end(allowed::kLibraries) && (answer.head.libraries >> (part - std::begin(allowed::kLibraries)) & 1) != 0) found.push_back(library);
  }
  return answer.head.libraries_error;
}

}  // namespace faultline
