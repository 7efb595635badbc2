// What of a process may be handed over, and how the daemon asks for it: hostile environments, and answers of anything but the reader.
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "check.h"
#include "core/processes/environ_answer.h"
#include "core/processes/environ_client.h"
#include "temporary_folder.h"

using namespace faultline;
using namespace faultline::environ_reader;
using checks::test;
using std::string_literals::operator""s;

namespace {

std::size_t place_of(std::string_view name) {
  return static_cast<std::size_t>(std::find(std::begin(allowed::kNames), std::end(allowed::kNames), name) - std::begin(allowed::kNames));
}

// What is handed over of an environment that comes in pieces of this size.
Answer handed(std::string_view environment, std::size_t piece = 4096) {
  static AllowedValues values;
  for (std::size_t at = 0; at < environment.size(); at += piece) values.feed(environment.substr(at, piece));
  values.finish();
  std::string packet(kMostAnswer, '\0');
  AnswerHead head;
  head.list = allowed::kSum;
  memcpy(packet.data(), &head, sizeof head);
  packet.resize(sizeof head + values.write(packet.data() + sizeof head, packet.size() - sizeof head));
  values.forget();
  auto answer = read_answer(packet);
  CHECK(answer.has_value());
  return answer ? std::move(*answer) : Answer{};
}

std::string value(const Answer& answer, std::string_view name) { return answer.values.at(place_of(name)).value_or("none"); }

void environments() {
  const Answer plain = handed("PATH=/bin\0RANK=1\0API_TOKEN=hush\0HOME=/h o\nme\0RANK=3\0SLURM_JOB_ID=991"s);
  CHECK_EQ(value(plain, "RANK"), "3"s);
  CHECK_EQ(value(plain, "HOME"), "/h o\nme"s);
  CHECK_EQ(value(plain, "SLURM_JOB_ID"), "991"s);
  CHECK_EQ(std::ranges::count_if(plain.values, [](const auto& one) { return one.has_value(); }), std::ptrdiff_t{3});
  // No value with characters that start something elsewhere, but for paths; none that is too long; no name but whole ones.
  const Answer odd = handed("RANK=1;rm\0SLURM_JOB_NAME="s + std::string(4096, 'x') + "\0XRANK=1\0RANK\0=\0WORLD_SIZE=\0"s);
  CHECK_EQ(value(odd, "RANK"), "none"s);
  CHECK_EQ(value(odd, "SLURM_JOB_NAME"), "none"s);
  CHECK_EQ(value(odd, "WORLD_SIZE"), ""s);
  CHECK_EQ(value(handed("SLURM_JOB_NAME="s + std::string(4095, 'x')), "SLURM_JOB_NAME").size(), std::size_t{4095});
  // Two megabytes without an end, and what comes behind them.
  const std::string endless(2 * 1024 * 1024, 'A');
  CHECK_EQ(value(handed("RANK=1\0"s + endless), "RANK"), "1"s);
  CHECK_EQ(value(handed(endless + "\0RANK=2\0"s), "RANK"), "2"s);
  CHECK_EQ(value(handed(endless), "RANK"), "none"s);
  // All values at their longest: an answer keeps its size, and the ranks are in it.
  std::string full;
  for (const std::string_view name : allowed::kNames) full += std::string(name) + '=' + std::string(4095, '7') + '\0';
  CHECK_EQ(value(handed(full), "RANK").size(), std::size_t{4095});
}

// However it comes in pieces, it is what the daemon makes of an environment that it reads itself.
void pieces() {
  std::mt19937 random(7);
  const std::vector<std::string> names(std::begin(allowed::kNames), std::end(allowed::kNames));
  for (int round = 0; round < 3000; ++round) {
    std::string environment;
    while (random() % 12 != 0) {
      environment += random() % 3 == 0 ? names[random() % names.size()] : "SECRET"s;
      if (random() % 8 != 0) environment += '=';
      for (auto more = random() % 6; more > 0; --more) environment += "0/;\xff\n="[random() % 6];
      if (random() % 8 != 0) environment += '\0';
    }
    auto expected = environment_values(environment, names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool path = i >= allowed::kFirstPath && i < allowed::kPastPaths;
      if (expected[i] && !path && !is_plain_value(*expected[i])) expected[i].reset();
    }
    CHECK(handed(environment, 1 + random() % 9).values == expected);
  }
}

void libraries() {
  const std::string maps = "7f00-7f01 r-xp 0 0 0 /usr/lib/libtorch_cpu.so\n7f02 /x/_pywrap_tensorflow_internal.so\n7f03 /home/secret\n";
  for (std::size_t piece = 1; piece <= maps.size(); ++piece) {
    AllowedLibraries found;
    for (std::size_t at = 0; at < maps.size(); at += piece) found.feed(std::string_view(maps).substr(at, piece));
    std::size_t expected = 0;
    for (std::size_t i = 0; i < std::size(allowed::kLibraries); ++i)
      if (maps.find(allowed::kLibraries[i]) != std::string::npos) expected |= std::size_t{1} << i;
    CHECK_EQ(found.found(), expected);
  }
}

// Of the files of an answer none but those that may be handed over.
void handed_files() {
  const auto answer_with = [](std::initializer_list<std::pair<std::uint16_t, std::string>> files) {
    std::string packet(sizeof(AnswerHead), '\0');
    std::string bytes(kMostFileBytes, '\0');
    std::size_t size = 0;
    for (const auto& [is, text] : files) size += write_file(bytes.data() + size, bytes.size() - size, {.inode = 7, .is = is}, text);
    AnswerHead head;
    head.list = allowed::kSum;
    head.files_bytes = static_cast<std::uint32_t>(size);
    memcpy(packet.data(), &head, sizeof head);
    return read_answer(packet + bytes.substr(0, size));
  };
  const auto right = answer_with({{kWritten | kOutput, "/srv/a"}, {kWritten, "/srv/b\n (deleted)"}, {kInputPipe, "pipe:[12]"}, {kOutputPipe, "pipe:[13]"},
                                  {kDeviceFile, "/dev/infiniband/uverbs0"}});
  CHECK(right && right->files.size() == 5 && right->files[0] == (OpenFile{"/srv/a", 7, kWritten | kOutput}));
  for (const auto& [is, text] : std::initializer_list<std::pair<std::uint16_t, std::string>>{
           {0, "/srv/a"}, {kOutput, "/srv/a"}, {kWritten | kDeviceFile, "/srv/a"}, {kWritten, "srv"}, {kWritten, "/dev/mem"}, {kWritten, "/proc/1/mem"},
           {kWritten, "/srv/a\0b"s}, {kWritten, ""}, {kInputPipe, "/srv/a"}, {kInputPipe, "pipe:[1x]"}, {kDeviceFile, "/dev/mem"}, {64, "/srv/a"}})
    CHECK(!answer_with({{is, text}}));
  CHECK_EQ(kind_of_file("1", "/srv/a", true), kWritten | kOutput);
  CHECK_EQ(kind_of_file("3", "/srv/a", true), kWritten);
  CHECK_EQ(kind_of_file("1", "/srv/a", false), 0);
  CHECK_EQ(kind_of_file("0", "pipe:[7]", false), kInputPipe);
  for (const char* other : {"socket:[7]", "anon_inode:[eventfd]", "/dev/pts/0", "/dev/shm/x", "/memfd:x (deleted)", "/proc/7/stat"}) CHECK_EQ(kind_of_file("1", other, true), 0);
}

void garbage() {
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    std::string packet(random() % 120, '\0');
    for (char& byte : packet) byte = static_cast<char>(random());
    AnswerHead head;
    head.list = allowed::kSum;
    if (random() % 2 == 0 && packet.size() > sizeof head) memcpy(packet.data(), &head, sizeof head);
    const auto answer = read_answer(packet);
    if (!answer) continue;
    for (std::size_t i = 0; i < answer->values.size(); ++i) {
      const bool path = i >= allowed::kFirstPath && i < allowed::kPastPaths;
      CHECK(!answer->values[i] || path || is_plain_value(*answer->values[i]));
    }
  }
}

// A reader of one connection after the other, which answers as the test says; "" ends the connection.
class MadeUpReader {
 public:
  using Reply = std::function<std::string(const Request&)>;
  explicit MadeUpReader(Reply reply) : path_(folder_.path("socket")), reply_(std::move(reply)), thread_([this] { serve(); }) {}
  ~MadeUpReader() {
    stop_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  const std::string& path() const { return path_; }
  int connections() const { return connections_; }

 private:
  static int listening(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.data(), path.size());
    const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    CHECK_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    CHECK_EQ(::listen(fd, 4), 0);
    return fd;
  }
  void serve() {
    while (!stop_) {
      const int fd = ::accept(listener_, nullptr, nullptr);
      if (fd < 0) continue;
      ++connections_;
      Request request;
      while (::recv(fd, &request, sizeof request, 0) == sizeof request) {
        const std::string answer = reply_(request);
        if (answer.empty() || ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
      }
      ::close(fd);
    }
  }

  TemporaryFolder folder_;
  const std::string path_;
  const Reply reply_;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  const int listener_ = listening(path_);
  std::thread thread_;
};

std::string answer_to(const Request& request, std::uint32_t list = allowed::kSum) {
  AnswerHead head;
  head.list = list;
  head.number = request.number;
  head.way = kPerfmon;
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

void asking() {
  Answer answer;
  EnvironClient nowhere("/does/not/exist");
  CHECK_EQ(nowhere.ask(7, 1, kWantsVariables, answer), EACCES);
  CHECK(nowhere.state() == ReaderState::absent);
  {
    MadeUpReader right([](const Request& request) { return answer_to(request); });
    EnvironClient client(right.path());
    CHECK(client.state() == ReaderState::unasked);
    CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), 0);
    CHECK(client.state() == ReaderState::perfmon);
  }
  for (const std::string& wrong : {"x"s, std::string(100, 'x'), answer_to({}, allowed::kSum + 1)}) {
    MadeUpReader other([&](const Request&) { return wrong; });
    EnvironClient client(other.path());
    CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), EACCES);
    CHECK(client.state() == ReaderState::other_build);
    // It is not asked again at once.
    CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), EACCES);
    CHECK_EQ(other.connections(), 1);
  }
}

void hanging() {
  Answer answer;
  // One process ends the reader, or never comes back: it is not asked for again, and the others are.
  for (const bool ends : {true, false}) {
    MadeUpReader reader([ends](const Request& request) {
      if (request.pid != 7) return answer_to(request);
      // The answer to an earlier request comes before anything else, and does not count.
      return ends ? ""s : answer_to({.number = request.number - 1});
    });
    EnvironClient client(reader.path(), 50'000'000);
    CHECK_EQ(client.ask(6, 1, kWantsVariables, answer), 0);
    CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), ETIMEDOUT);
    const int before = reader.connections();
    CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), ETIMEDOUT);
    CHECK_EQ(reader.connections(), before);
    CHECK_EQ(client.ask(8, 1, kWantsVariables, answer), 0);
    CHECK_EQ(reader.connections(), 2);
  }
}

// What was closed while no reader was there is asked for once it is.
void back_again() {
  Answer answer;
  MadeUpReader reader([](const Request& request) { return answer_to(request); });
  const std::string away = reader.path() + ".away";
  CHECK_EQ(rename(reader.path().c_str(), away.c_str()), 0);
  EnvironClient client(reader.path());
  CHECK(!client.came_back());
  CHECK_EQ(client.ask(7, 1, kWantsVariables, answer), EACCES);
  CHECK(!client.came_back());
  CHECK_EQ(rename(away.c_str(), reader.path().c_str()), 0);
  // The pause before it is tried again is a second.
  for (int tries = 0; tries < 1000 && client.state() != ReaderState::perfmon; ++tries) {
    CHECK_EQ(client.came_back(), client.state() == ReaderState::perfmon);
    usleep(10'000);
  }
  CHECK(client.state() == ReaderState::perfmon);
  CHECK(!client.came_back());
}

}  // namespace

int main() {
  test("only allow-listed names with plain values are handed over, whatever else an environment has", environments);
  test("an environment in pieces is read as in one", pieces);
  test("libraries are found across the seams of pieces", libraries);
  test("of the files of an answer none is taken but those that may be handed over", handed_files);
  test("what is not an answer is not taken for one", garbage);
  test("the daemon asks whoever is there, and does not ask again and again", asking);
  test("a process that ends the reader is not asked for again", hanging);
  test("a reader that comes back is noticed once", back_again);
  return checks::result();
}
