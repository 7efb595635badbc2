// Fuzzes what a user writes into the environment and the mapped files of a process, and what comes in the place of an answer.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/processes/environ_answer.h"
#include "core/processes/process_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  using namespace faultline::environ_reader;
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static AllowedValues values;
  AllowedLibraries libraries;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    values.feed(text.substr(at, piece));
    libraries.feed(text.substr(at, piece));
  }
  values.finish();
  std::string packet(kMostAnswer, '\0');
  AnswerHead head;
  head.list = allowed::kSum;
  std::memcpy(packet.data(), &head, sizeof head);
  packet.resize(sizeof head + values.write(packet.data() + sizeof head, packet.size() - sizeof head));
  values.forget();
  const auto answer = read_answer(packet);
  if (!answer) std::abort();
  // As the daemon reads what it may read itself.
  static const std::vector<std::string> names(std::begin(allowed::kNames), std::end(allowed::kNames));
  auto expected = environment_values(text, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool path = i >= allowed::kFirstPath && i < allowed::kPastPaths;
    if (expected[i] && !path && !is_plain_value(*expected[i])) expected[i].reset();
  }
  if (answer->values != expected) std::abort();
  for (std::size_t i = 0; i < std::size(allowed::kLibraries); ++i)
    if (((libraries.found() >> i) & 1) != (text.find(allowed::kLibraries[i]) == std::string_view::npos ? 0 : 1)) std::abort();
  // The same bytes as an answer, behind a head that is one.
  std::memcpy(packet.data(), &head, sizeof head);
  packet.resize(sizeof head);
  read_answer(packet.append(text));
  read_answer(text);
  return 0;
}
