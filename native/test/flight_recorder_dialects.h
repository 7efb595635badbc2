// Small dumps of a job whose truth is known, in every form that recorders and CPython write: c10's, protocols 0 to 5, JSON.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "test/flight_recorder_pickles.h"

namespace dialects {

struct Tree;
using List = std::vector<Tree>;
struct Pair {
  std::vector<Tree> items;
};
using Dict = std::vector<std::pair<std::string, Tree>>;
struct Tree {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Pair, Dict> is;
  template <typename T>
  Tree(T value) : is(std::move(value)) {}  // NOLINT: trees are written as literals
  Tree(int value) : is(std::int64_t{value}) {}
  Tree(const char* value) : is(std::string(value)) {}
};

enum class Dialect { protocol_0, protocol_1, protocol_2, protocol_3, protocol_4, protocol_5, c10, json };
inline constexpr Dialect ALL[] = {Dialect::protocol_0, Dialect::protocol_1, Dialect::protocol_2, Dialect::protocol_3,
                                  Dialect::protocol_4, Dialect::protocol_5, Dialect::c10, Dialect::json};
inline constexpr const char* NAMES[] = {"protocol-0", "protocol-1", "protocol-2", "protocol-3",
                                        "protocol-4", "protocol-5", "c10", "json"};
// Protocols 0 and 1 write large numbers as text, which is refused.
inline bool is_read(Dialect dialect) { return dialect > Dialect::protocol_1; }

class Writer {
 public:
  explicit Writer(Dialect dialect) : dialect_(dialect) {}

  std::string whole(const Tree& tree) {
    if (dialect_ == Dialect::json) return json(tree);
    value(tree);
    if (dialect_ < Dialect::protocol_2) return out_ + ".";
    const int protocol = dialect_ == Dialect::c10 ? 2 : static_cast<int>(dialect_);
    const std::string start = pickles::join({"\x80", pickles::little(static_cast<unsigned>(protocol), 1)});
    if (!framed()) return start + out_ + ".";
    return start + "\x95" + pickles::little(out_.size() + 1, 8) + out_ + ".";
  }

 private:
  bool framed() const { return dialect_ == Dialect::protocol_4 || dialect_ == Dialect::protocol_5; }
  bool text_form() const { return dialect_ == Dialect::protocol_0; }
  bool c10() const { return dialect_ == Dialect::c10; }

  void put() {
    const std::uint32_t id = next_++;
    if (text_form()) out_ += "p" + std::to_string(id) + "\n";
    else if (framed()) out_ += '\x94';
    else if (id < 256) out_ += pickles::join({"q", pickles::little(id, 1)});
    else out_ += pickles::join({"r", pickles::little(id, 4)});
  }
  void get(std::uint32_t id) {
    if (text_form()) out_ += "g" + std::to_string(id) + "\n";
    else if (id < 256) out_ += pickles::join({"h", pickles::little(id, 1)});
    else out_ += pickles::join({"j", pickles::little(id, 4)});
  }

  void value(const Tree& tree) {
    if (std::holds_alternative<std::nullptr_t>(tree.is)) out_ += 'N';
    else if (const bool* truth = std::get_if<bool>(&tree.is)) boolean(*truth);
    else if (const auto* number = std::get_if<std::int64_t>(&tree.is)) integer(*number);
    else if (const double* real = std::get_if<double>(&tree.is)) floating(*real);
    else if (const auto* own = std::get_if<std::string>(&tree.is)) text(*own);
    else if (const List* list = std::get_if<List>(&tree.is)) sequence(*list);
    else if (const Pair* pair = std::get_if<Pair>(&tree.is)) tuple(pair->items);
    else if (const Dict* dict = std::get_if<Dict>(&tree.is)) mapping(*dict);
  }
  void boolean(bool value) {
    if (dialect_ < Dialect::protocol_2) out_ += value ? "I01\n" : "I00\n";
    else out_ += value ? '\x88' : '\x89';
  }
  void integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (text_form()) out_ += "I" + std::to_string(value) + "\n";
    else if (value >= 0 && value < 256) out_ += pickles::join({"K", pickles::little(bits, 1)});
    else if (value >= 0 && value < 65536) out_ += pickles::join({"M", pickles::little(bits, 2)});
    else if (value == static_cast<std::int32_t>(value)) out_ += pickles::join({"J", pickles::little(bits, 4)});
    else if (dialect_ == Dialect::protocol_1) out_ += "L" + std::to_string(value) + "L\n";
    else out_ += pickles::number(value);
  }
  void floating(double value) {
    if (text_form()) {
      out_ += "F" + std::to_string(value) + "\n";
      return;
    }
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    out_ += pickles::join({"G", pickles::little(__builtin_bswap64(bits), 8)});
  }
  void text(const std::string& value) {
    const auto [at, added] = texts_.try_emplace(value, next_);
    if (!added) return get(at->second);
    if (text_form()) out_ += "V" + value + "\n";
    else if (framed() && value.size() < 256) out_ += pickles::join({"\x8c", pickles::little(value.size(), 1), value});
    else out_ += pickles::text(value);
    put();
  }
  // CPython numbers a container before its contents, c10 never.
  void sequence(const List& items) {
    out_ += text_form() ? "(l" : "]";
    if (!c10()) put();
    if (items.empty() && !c10()) return;
    if (text_form() || (items.size() == 1 && !c10())) {
      for (const Tree& item : items) value(item), out_ += 'a';
      return;
    }
    out_ += '(';
    for (const Tree& item : items) value(item);
    out_ += 'e';
  }
  void tuple(const std::vector<Tree>& items) {
    if (dialect_ < Dialect::protocol_2) out_ += '(';
    for (const Tree& item : items) value(item);
    out_ += dialect_ < Dialect::protocol_2 ? 't' : '\x86';
    if (!c10()) put();
  }
  void mapping(const Dict& pairs) {
    out_ += text_form() ? "(d" : "}";
    if (!c10()) put();
    if (pairs.empty() && !c10()) return;
    const bool single = text_form() || (pairs.size() == 1 && !c10());
    if (!single) out_ += '(';
    for (const auto& [key, item] : pairs) {
      text(key);
      value(item);
      if (single) out_ += 's';
    }
    if (!single) out_ += 'u';
  }

  static std::string json(const Tree& tree) {
    const auto joined = [](const List& items) {
      std::string all = "[";
      for (const Tree& item : items) all.append(all.size() > 1 ? "," : "").append(json(item));
      return all + "]";
    };
    if (std::holds_alternative<std::nullptr_t>(tree.is)) return "0";
    if (const bool* truth = std::get_if<bool>(&tree.is)) return *truth ? "true" : "false";
    if (const auto* number = std::get_if<std::int64_t>(&tree.is)) return std::to_string(*number);
    if (const double* real = std::get_if<double>(&tree.is)) return std::to_string(*real);
    if (const auto* own = std::get_if<std::string>(&tree.is)) return "\"" + *own + "\"";
    if (const List* list = std::get_if<List>(&tree.is)) return joined(*list);
    if (const Pair* pair = std::get_if<Pair>(&tree.is)) return joined(pair->items);
    std::string all = "{";
    for (const auto& [key, item] : std::get<Dict>(tree.is)) all += (all.size() > 1 ? ",\"" : "\"") + key + "\":" + json(item);
    return all + "}";
  }

  Dialect dialect_;
  std::string out_;
  std::uint32_t next_ = 0;
  std::map<std::string, std::uint32_t> texts_;
};

inline std::string written(const Tree& tree, Dialect dialect) { return Writer(dialect).whole(tree); }

}  // namespace dialects
