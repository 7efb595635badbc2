// What of a process's environment and mapped files may be handed over, and the packet that holds it.
#include "core/processes/environ_answer.h"

#include <string.h>

#include <algorithm>

#include "core/processes/process_files.h"

namespace faultline::environ_reader {
namespace {

bool may_be_handed_over(std::size_t place, std::string_view value) {
  return (place >= allowed::kFirstPath && place < allowed::kPastPaths) || is_plain_value(value);
}

}  // namespace

void AllowedValues::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\0');
    const std::string_view part = piece.substr(0, end);
    if (too_long_ || part.size() > entry_.size() - size_) {
      too_long_ = true;
    } else {
      std::ranges::copy(part, entry_.begin() + static_cast<std::ptrdiff_t>(size_));
      size_ += part.size();
    }
    if (end == std::string_view::npos) return;
    end_entry();
    piece.remove_prefix(end + 1);
  }
}

void AllowedValues::finish() { end_entry(); }

void AllowedValues::end_entry() {
  const std::string_view entry(entry_.data(), size_);
  const bool whole = !too_long_;
  size_ = 0;
  too_long_ = false;
  const std::size_t equals = entry.find('=');
  if (!whole || equals == std::string_view::npos) return;
  const auto* const name = std::ranges::find(allowed::kNames, entry.substr(0, equals));
  const std::string_view text = entry.substr(equals + 1);
  if (name == std::end(allowed::kNames) || text.size() > kMostValue) return;
  const auto place = static_cast<std::size_t>(name - std::begin(allowed::kNames));
  Value& value = values_[place];
  value.there = may_be_handed_over(place, text);
  value.size = static_cast<std::uint16_t>(value.there ? text.size() : 0);
  if (value.there) std::ranges::copy(text, value.bytes.begin());
}

void AllowedValues::forget() {
  ::explicit_bzero(entry_.data(), entry_.size());
  size_ = 0;
  too_long_ = false;
  for (Value& value : values_) {
    if (value.there) ::explicit_bzero(value.bytes.data(), value.size);
    value.there = false;
  }
}

std::size_t AllowedValues::write(char* into, std::size_t most) const {
  std::size_t at = 0;
  for (std::size_t place = 0; place < values_.size(); ++place) {
    const Value& value = values_[place];
    const ValueHead head{static_cast<std::uint16_t>(place), value.size};
    if (!value.there || sizeof head + value.size > most - at) continue;
    ::memcpy(into + at, &head, sizeof head);
    ::memcpy(into + at + sizeof head, value.bytes.data(), value.size);
    at += sizeof head + value.size;
  }
  return at;
}

void AllowedLibraries::feed(std::string_view piece) {
  const auto look = [&](std::string_view text) {
    for (std::size_t place = 0; place < std::size(allowed::kLibraries); ++place) {
      const std::uint64_t bit = std::uint64_t{1} << place;
      if ((found_ & bit) == 0 && text.find(allowed::kLibraries[place]) != std::string_view::npos) found_ |= bit;
    }
  };
  // What lies across the seam of two pieces, then what lies in this one.
  const std::string_view start = piece.substr(0, allowed::kLongestLibrary);
  std::ranges::copy(start, seam_.begin() + static_cast<std::ptrdiff_t>(size_));
  look({seam_.data(), size_ + start.size()});
  look(piece);
  const std::string_view both = piece.size() >= allowed::kLongestLibrary ? piece : std::string_view(seam_.data(), size_ + start.size());
  const std::string_view end = both.substr(both.size() - std::min(both.size(), allowed::kLongestLibrary));
  ::memmove(seam_.data(), end.data(), end.size());
  size_ = end.size();
}

std::optional<Answer> read_answer(std::string_view packet) {
  Answer answer;
  if (packet.size() < sizeof answer.head) return std::nullopt;
  ::memcpy(&answer.head, packet.data(), sizeof answer.head);
  packet.remove_prefix(sizeof answer.head);
  if (answer.head.magic != kMagic) return std::nullopt;
  // Another build's list: which names its values have is not known.
  if (answer.head.list != allowed::kSum) {
    if (!packet.empty()) return std::nullopt;
    return answer;
  }
  if (answer.head.files_bytes > packet.size()) return std::nullopt;
  auto files = read_files(packet.substr(packet.size() - answer.head.files_bytes));
  if (!files) return std::nullopt;
  answer.files = std::move(*files);
  packet.remove_suffix(answer.head.files_bytes);
  answer.values.resize(std::size(allowed::kNames));
  while (!packet.empty()) {
    ValueHead head{};
    if (packet.size() < sizeof head) return std::nullopt;
    ::memcpy(&head, packet.data(), sizeof head);
    packet.remove_prefix(sizeof head);
    if (head.place >= answer.values.size() || head.size > kMostValue || head.size > packet.size()) return std::nullopt;
    const std::string_view value = packet.substr(0, head.size);
    if (!may_be_handed_over(head.place, value)) return std::nullopt;
    answer.values[head.place] = std::string(value);
    packet.remove_prefix(head.size);
  }
  return answer;
}

}  // namespace faultline::environ_reader
