// Strings and closed containers of one dump, each kept once: equal ones have the same number.
#include "flight_recorder/parse/tables.h"

#include <cstring>

namespace faultline::flight_recorder {
namespace {

constexpr std::string_view KNOWN_NAMES[] = {
    "", "version", "pg_config", "pg_status", "entries", "nccl_version", "comm_lib_version", "name", "desc", "ranks",
    "filename", "line", "last_enqueued_collective", "last_started_collective", "last_completed_collective", "frames",
    "record_id", "pg_id", "process_group", "thread_name", "thread_id", "collective_seq_id", "p2p_seq_id", "op_id",
    "profiling_name", "time_created_ns", "duration_ms", "input_sizes", "output_sizes", "input_dtypes",
    "output_dtypes", "state", "time_discovered_started_ns", "time_discovered_completed_ns", "retired", "timeout_ms",
    "is_p2p", "scheduled", "started", "completed", "schema", "summary", "job", "host", "seq_id",
};
static_assert(std::size(KNOWN_NAMES) == static_cast<std::size_t>(Name::count));

// Finaliser of MurmurHash3 over words of eight bytes: short keys, no need to be proof against chosen collisions
// beyond what the probe bound below gives.
std::uint64_t mix(std::uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdULL;
  hash ^= hash >> 29;
  return hash;
}

std::uint32_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size() * 0x9e3779b97f4a7c15ULL;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word);
  }
  std::uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  return static_cast<std::uint32_t>(mix(hash ^ word));
}

std::uint32_t hash_values(const Value* values, std::size_t count) {
  std::uint64_t hash = count * 0x9e3779b97f4a7c15ULL;
  for (std::size_t i = 0; i < count; ++i) hash = mix(hash ^ values[i].bits());
  return static_cast<std::uint32_t>(hash);
}

// Chosen collisions could make a probe as long as the table: past this many steps equal texts may get two numbers,
// which costs memory of the budget and nothing else.
constexpr unsigned MAX_PROBES = 64;

template <typename Slots, typename Items>
bool rehash(Slots& slots, const Items& items) {
  const std::size_t size = std::max<std::size_t>(256, slots.size() * 2);
  if (!slots.resize(size)) return false;
  std::memset(slots.data(), 0xff, size * sizeof slots[0]);
  for (std::uint32_t id = 0; id < items.size(); ++id) {
    std::size_t at = items[id].hash & (size - 1);
    unsigned probes = 0;
    while (slots[at].id != UINT32_MAX && ++probes < MAX_PROBES) at = (at + 1) & (size - 1);
    if (slots[at].id == UINT32_MAX) slots[at] = {id, items[id].hash};
  }
  return true;
}

}  // namespace

Tables::Tables(Budget& budget)
    : budget_(budget), strings_(budget), string_slots_(budget), sequences_(budget), sequence_slots_(budget),
      words_(budget), numbers_(budget) {
  for (const std::string_view name : KNOWN_NAMES) string(name);
}

std::uint32_t Tables::string(std::string_view text) {
  if (strings_.size() * 2 >= string_slots_.size() && !rehash(string_slots_, strings_)) return NONE;
  const std::uint32_t hash = hash_text(text);
  const std::size_t mask = string_slots_.size() - 1;
  std::size_t at = hash & mask;
  for (unsigned probe = 0; probe < MAX_PROBES && string_slots_[at].id != NONE; ++probe, at = (at + 1) & mask) {
    if (string_slots_[at].hash != hash) continue;
    const Text& kept = strings_[string_slots_[at].id];
    if (kept.length == text.size() && (text.empty() || std::memcmp(kept.text, text.data(), text.size()) == 0)) {
      return string_slots_[at].id;
    }
  }
  const auto id = static_cast<std::uint32_t>(strings_.size());
  if (!strings_.push({text.data(), static_cast<std::uint32_t>(text.size()), hash})) return NONE;
  if (string_slots_[at].id == NONE) string_slots_[at] = {id, hash};
  return id;
}

std::uint32_t Tables::sequence(const Value* values, std::size_t count, unsigned depth) {
  return find_or_add(values, count, depth, hash_values(values, count));
}

// To look for each, and to keep a growing table of all, costs more than the lists themselves.
std::uint32_t Tables::sequence_often_new(const Value* values, std::size_t count, unsigned depth) {
  const std::uint32_t hash = hash_values(values, count);
  if (new_ >= MANY_NEW && !is_sample(hash)) return add(values, count, depth, hash);
  const std::size_t before = sequences_.size();
  const std::uint32_t id = find_or_add(values, count, depth, hash);
  if (sequences_.size() == before) new_ -= std::min(new_, FOUND);
  else if (new_ < MANY_NEW) ++new_;
  return id;
}

std::uint32_t Tables::find_or_add(const Value* values, std::size_t count, unsigned depth, std::uint32_t hash) {
  if (in_slots_ * 2 >= sequence_slots_.size()) {
    if (!rehash(sequence_slots_, sequences_)) return NONE;
    in_slots_ = sequences_.size();
  }
  const std::size_t mask = sequence_slots_.size() - 1;
  std::size_t at = hash & mask;
  for (unsigned probe = 0; probe < MAX_PROBES && sequence_slots_[at].id != NONE; ++probe, at = (at + 1) & mask) {
    if (sequence_slots_[at].hash != hash) continue;
    const Sequence& kept = sequences_[sequence_slots_[at].id];
    if (kept.length == count && std::equal(values, values + count, words_.data() + kept.offset)) {
      return sequence_slots_[at].id;
    }
  }
  const std::uint32_t id = add(values, count, depth, hash);
  if (id != NONE && sequence_slots_[at].id == NONE) sequence_slots_[at] = {id, hash}, ++in_slots_;
  return id;
}

std::uint32_t Tables::add(const Value* values, std::size_t count, unsigned depth, std::uint32_t hash) {
  const std::size_t offset = words_.size();
  if (offset + count > UINT32_MAX || !words_.reserve(offset + count)) return NONE;
  for (std::size_t i = 0; i < count; ++i) words_.push(values[i]);
  const auto id = static_cast<std::uint32_t>(sequences_.size());
  return sequences_.push({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(count), hash, depth}) ? id : NONE;
}

Value Tables::number(double value) {
  if (!numbers_.push(value)) return Value::of(Value::Special::opaque);
  return Value::number(static_cast<std::uint32_t>(numbers_.size() - 1));
}

char* Tables::room(std::size_t size) {
  if (!budget_.take(size + sizeof(void*) * 2)) return nullptr;
  rooms_.push_back(std::make_unique<char[]>(size + 1));
  return rooms_.back().get();
}

}  // namespace faultline::flight_recorder
