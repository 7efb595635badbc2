// Entries laid out as one before but for what their numbers are: how they are noted. Opcodes as in pickle.cc.
#include "flight_recorder/parse/fixed_entry.h"

#include <algorithm>
#include <bit>

namespace faultline::flight_recorder {
namespace {

// Bytes of a number behind its opcode and, where that has one, its length; 0 for what is none.
std::size_t bytes_of(unsigned char form) {
  switch (form) {
    case 'K': return 1;
    case 'M': return 2;
    case 'J': return 4;
    case 0x8a: return 8;
    default: return 0;
  }
}
std::size_t before_number(unsigned char form) { return form == 0x8a ? 2 : 1; }

std::int64_t Row::*field_of(Hole hole) {
  switch (hole) {
    case Hole::record_id: return &Row::record_id;
    case Hole::collective_seq: return &Row::collective_seq;
    case Hole::p2p_seq: return &Row::p2p_seq;
    case Hole::op_id: return &Row::op_id;
    case Hole::created: return &Row::created_ns;
    case Hole::completed: return &Row::completed_ns;
    default: return nullptr;
  }
}

}  // namespace

void FixedEntries::clear() {
  forget();
  beginning_ = BEGINNINGS.back();
  credit_ = CREDIT;
  out_of_order_ = 0;
}

// The entries, as there are too many or they cannot be distinguished as before.
void FixedEntries::forget() {
  if (!entries_.empty()) slots_ = {};
  layouts_.clear();
  entries_.clear();
  words_.clear();
  last_ = NONE;
}

bool FixedEntries::begin(std::size_t length) {
  if (std::endian::native != std::endian::little || length + 8 * (AT_ONCE + 1) > LONGEST || credit_ == 0) return false;
  credit_ -= std::min<std::uint32_t>(2, credit_);
  if (entries_.size() == MAX) forget();
  length_ = length;
  before_ = length;
  parts_.clear();
  return true;
}

bool FixedEntries::add_hole(Hole hole, std::size_t start, const unsigned char* at, const unsigned char* to) {
  if (hole == Hole::frames) return true;  // of this place in the code
  before_ = std::min(before_, start);
  if (hole == Hole::input_sizes || hole == Hole::output_sizes) return add_sizes(hole, start, at, to);
  if (hole == Hole::real) return parts_.push_back({static_cast<std::uint16_t>(start + 1), 8, false, hole}), true;
  if (*at == 'N') return true;
  const std::size_t bytes = bytes_of(*at);
  if (bytes == 0 || (hole >= Hole::created && bytes != 8)) return false;
  parts_.push_back({static_cast<std::uint16_t>(start + before_number(*at)), static_cast<std::uint8_t>(bytes), *at == 'J', hole});
  return true;
}

// The numbers of a list do not count; false where it has anything else.
bool FixedEntries::add_sizes(Hole hole, std::size_t start, const unsigned char* at, const unsigned char* to) {
  parts_.push_back({static_cast<std::uint16_t>(start), 0, false, hole});
  for (const unsigned char* const from = at; at < to;) {
    const std::size_t bytes = bytes_of(*at), before = bytes > 0 ? before_number(*at) : 1;
    if (bytes == 0 && *at != ']' && *at != '(' && *at != 'e') return false;
    const auto place = static_cast<std::size_t>(at - from) + before;
    if (bytes > 0) parts_.push_back({static_cast<std::uint16_t>(start + place), static_cast<std::uint8_t>(bytes), false, Hole::count});
    at += before + bytes;
  }
  return true;
}

// The number of that which the noted entry has; NONE where there are too many.
std::uint32_t FixedEntries::layout() {
  for (auto known = static_cast<std::uint32_t>(layouts_.size()); known > 0; --known) {
    if (layouts_[known - 1].length == length_ && layouts_[known - 1].parts == parts_) return known - 1;
  }
  if (layouts_.size() == MAX_LAYOUTS || parts_.size() > MAX_PARTS) return NONE;
  Layout made;
  made.length = static_cast<std::uint32_t>(length_);
  made.words = static_cast<std::uint32_t>((length_ + 8 * AT_ONCE - 1) / (8 * AT_ONCE) * AT_ONCE);
  made.counts = static_cast<std::uint32_t>(words_.size());
  made.parts = parts_;
  words_.resize(words_.size() + made.words, 0);
  auto* const counts = reinterpret_cast<unsigned char*>(words_.data() + made.counts);
  std::fill_n(counts, length_, static_cast<unsigned char>(0xff));
  for (const Part& part : parts_) {
    std::fill_n(counts + part.at, part.bytes, static_cast<unsigned char>(0));
    if (part.bytes == 0) made.lists.push_back(part);
    else if (part.hole == Hole::started) made.started_at = part.at;
    else if (std::int64_t Row::*const to = field_of(part.hole); to != nullptr) {
      made.numbers.push_back({part.at, static_cast<std::uint8_t>(64 - 8 * part.bytes), part.is_signed, to});
    }
  }
  layouts_.push_back(std::move(made));
  return static_cast<std::uint32_t>(layouts_.size() - 1);
}

void FixedEntries::keep(const unsigned char* from, const Row& row) {
  if (before_ < BEGINNINGS.front()) return;
  if (before_ < beginning_) {
    forget();
    beginning_ = *std::prev(std::upper_bound(BEGINNINGS.begin(), BEGINNINGS.end(), before_));
  }
  const std::uint32_t number_of_layout = layout();
  if (number_of_layout == NONE) return;
  const Entry made{number_of_layout, static_cast<std::uint32_t>(words_.size()), NONE, NONE, row};
  const Layout& of = layouts_[made.layout];
  words_.resize(words_.size() + of.words, 0);
  std::memcpy(words_.data() + made.first, from, length_);
  for (std::size_t i = 0; i < of.words; ++i) words_[made.first + i] &= words_[of.counts + i];
  entries_.push_back(made);
  const auto number = static_cast<std::uint32_t>(entries_.size() - 1);
  std::uint16_t& newest = slots_[slot_of(from)];
  entries_[number].alike = newest - 1u;
  newest = static_cast<std::uint16_t>(number + 1);
  follow(number);
}

}  // namespace faultline::flight_recorder
