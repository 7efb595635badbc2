// Asks `faultline-environ` for what this process may not read itself of others.
#include "core/processes/environ_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/peer_credentials.h"
#include "core/processes/printed_log.h"

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

// One packet, and the descriptor that comes with it; more than one ends the connection.
ssize_t receive(int from, char* into, std::size_t most, Descriptor& descriptor) {
  iovec piece{into, most};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return size;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int))) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    descriptor.reset(fd);
  }
  return (message.msg_flags & MSG_CTRUNC) != 0 ? 0 : size;
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

bool EnvironClient::lists_files() const {
  const std::lock_guard lock(mutex_);
  return lists_files_;
}

int EnvironClient::ask(std::uint32_t pid, std::uint64_t start_ticks, std::uint32_t wants, Answer& answer, std::uint64_t inode) {
  const std::lock_guard lock(mutex_);
  const std::pair process(pid, start_ticks);
  if (std::ranges::find(hung_, process) != hung_.end()) return ETIMEDOUT;
  for (bool again = true;; again = false) {
    const bool old = connection_ >= 0;
    if (!old && (now_ns() < next_try_ns_ || !connect())) {
      missed_ = true;
      return EACCES;
    }
    const int error = exchange({.list = allowed::kSum, .pid = pid, .wants = wants, .start_ticks = start_ticks, .number = ++number_, .inode = inode}, answer);
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
    Descriptor log;
    const ssize_t count = receive(connection_, packet.data(), packet.size(), log);
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
    answer.log = std::move(log);
    answered_ = true;
    pause_ns_ = 0;
    shut_off_ = answer.head.shut_off != 0;
    lists_files_ = answer.head.lists_files != 0;
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

int HelpedFiles::open_files(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& devices,
                            std::vector<OpenFile>& open) const {
  const int error = ProcessFiles::open_files(folder, process, devices, open);
  if (!is_closed(error) || process.start_ticks == 0) return error;
  Answer answer;
  if (const int failed = client_.ask(process.pid, process.start_ticks, environ_reader::kWantsFiles, answer); failed != 0) return failed;
  open = std::move(answer.files);
  return answer.head.files_error;
}

int HelpedFiles::input(const std::string& folder, const ProcessKey& process, bool near, std::string& target) const {
  const int error = ProcessFiles::input(folder, process, near, target);
  if (!near || !is_closed(error) || process.start_ticks == 0) return error;
  Answer answer;
  if (const int failed = client_.ask(process.pid, process.start_ticks, environ_reader::kWantsFiles, answer); failed != 0) return failed;
  const auto pipe = std::ranges::find(answer.files, environ_reader::kInputPipe, &OpenFile::is);
  target = pipe == answer.files.end() ? std::string() : pipe->text;
  return answer.head.files_error;
}

int HelpedFiles::lend_log(const std::string& folder, const ProcessKey& process, std::uint64_t inode) const {
  const int own = ProcessFiles::lend_log(folder, process, inode);
  if (own >= 0 || !is_closed(-own) || process.start_ticks == 0) return own;
  Answer answer;
  if (const int failed = client_.ask(process.pid, process.start_ticks, environ_reader::kWantsLog, answer, inode); failed != 0) return -failed;
  if (answer.head.log_error != 0) return -answer.head.log_error;
  // What the reader says of itself counts for nothing here.
  if (!answer.log || !is_log_file(answer.log.get(), inode) || (::fcntl(answer.log.get(), F_GETFL) & O_ACCMODE) != O_RDONLY) return -EPROTO;
  return answer.log.release();
}

}  // namespace faultline
