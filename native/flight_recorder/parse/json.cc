// The JSON form of a dump (RFC 8259), read without recursion on the same stack as pickle.
#include "flight_recorder/parse/json.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "flight_recorder/limits.h"
#include "flight_recorder/parse/builder.h"

namespace faultline::flight_recorder {
namespace {

class Reader {
 public:
  Reader(std::span<const unsigned char> bytes, Dump& dump)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), builder_(dump), dump_(dump) {}

  void read() {
    const bool whole = document();
    if (whole) return;
    const char* why = why_ != nullptr ? why_ : builder_.why();
    builder_.salvage();
    if (!short_) dump_.rejection = Rejection{at_, -1, why};
  }

 private:
  enum class Next : std::uint8_t { value, key_or_end, key, value_or_end, comma_or_end };

  bool document() {
    Next next = Next::value;
    while (true) {
      if (!space()) return false;
      const char c = text_[at_];
      switch (next) {
        case Next::key_or_end:
          if (c == '}') break;
          [[fallthrough]];
        case Next::key:
          if (c != '"') return refuse("a key that is not a text");
          if (!string() || !space()) return false;
          if (text_[at_] != ':') return refuse("a key without a value");
          ++at_;
          next = Next::value;
          continue;
        case Next::comma_or_end:
          if (c == ',') {
            ++at_;
            next = in_object() ? Next::key : Next::value;
            continue;
          }
          if (c != (in_object() ? '}' : ']')) return refuse("neither a comma nor an end");
          break;
        case Next::value_or_end:
          if (c == ']') break;
          [[fallthrough]];
        case Next::value:
          if (c == '{' || c == '[') {
            if (depth_ >= MAX_DEPTH) return refuse("containers are nested too deeply");
            objects_[depth_++] = c == '{';
            ++at_;
            if (!(c == '{' ? builder_.open_dict() : builder_.open_list()) || !builder_.mark()) return false;
            next = c == '{' ? Next::key_or_end : Next::value_or_end;
            continue;
          }
          if (!scalar(c)) return false;
          if (depth_ == 0) return builder_.finish();
          next = Next::comma_or_end;
          continue;
      }
      // The end of a container.
      ++at_;
      if (!(in_object() ? builder_.set_marked() : builder_.append_marked())) return false;
      if (--depth_ == 0) return builder_.finish();
      next = Next::comma_or_end;
    }
  }

  bool in_object() const { return objects_[depth_ - 1]; }
  bool refuse(const char* why) {
    why_ = why;
    return false;
  }
  bool ended() {
    short_ = true;
    return false;
  }
  bool space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ < text_.size() || ended();
  }
  bool word(std::string_view word, Value value) {
    const std::string_view here = text_.substr(at_, word.size());
    if (here == word) {
      at_ += word.size();
      return builder_.push(value);
    }
    return word.starts_with(here) && here.size() == text_.size() - at_ ? ended() : refuse("no JSON value");
  }
  bool scalar(char c) {
    if (c == '"') return string();
    if (c == 't') return word("true", Value::truth(true));
    if (c == 'f') return word("false", Value::truth(false));
    if (c == 'n') return word("null", Value::of(Value::Special::none));
    return number();
  }
  bool number() {
    std::size_t end = at_;
    bool whole = true;
    while (end < text_.size() && std::strchr("+-0123456789.eE", text_[end]) != nullptr && text_[end] != '\0') {
      whole = whole && text_[end] != '.' && text_[end] != 'e' && text_[end] != 'E';
      ++end;
    }
    if (end == text_.size()) return ended();
    const char* first = text_.data() + at_;
    const char* last = text_.data() + end;
    if (end == at_) return refuse("no JSON value");
    if (whole) {
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(first, last, value);
      if (stop != last || (error != std::errc() && error != std::errc::result_out_of_range)) {
        return refuse("no JSON number");
      }
      at_ = end;
      return builder_.push(error == std::errc() ? Value::integer(value) : Value::integer(INT64_MAX));
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(first, last, value);
    if (stop != last) return refuse("no JSON number");
    at_ = end;
    return builder_.push(dump_.tables.number(error == std::errc() ? value : NAN));
  }

  bool string() {
    const std::size_t start = ++at_;
    bool plain = true;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        plain = false;
        ++at_;
        if (at_ >= text_.size()) return ended();
      }
      ++at_;
    }
    if (at_ >= text_.size()) return ended();
    const std::string_view raw = text_.substr(start, at_ - start);
    ++at_;
    if (plain) return builder_.text(raw);
    char* room = dump_.tables.room(raw.size());
    if (room == nullptr) return refuse("needs more memory than a dump of this size may");
    std::size_t length = 0;
    return unescape(raw, room, length) && builder_.text({room, length});
  }

  // Every escape is at least as long as what it stands for.
  bool unescape(std::string_view raw, char* out, std::size_t& length) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        out[length++] = raw[i];
        continue;
      }
      static constexpr std::string_view NAMES = "\"\\/bfnrt";
      static constexpr std::string_view MEANT = "\"\\/\b\f\n\r\t";
      const char c = raw[++i];
      if (const std::size_t known = NAMES.find(c); known != std::string_view::npos) {
        out[length++] = MEANT[known];
        continue;
      }
      unsigned unit = 0;
      if (c != 'u' || !hex(raw, i + 1, unit)) return refuse("no JSON escape");
      i += 4;
      std::uint32_t point = unit;
      unsigned low = 0;
      if (unit >= 0xd800 && unit < 0xdc00 && raw.substr(i + 1, 2) == "\\u" && hex(raw, i + 3, low) && low >= 0xdc00 &&
          low < 0xe000) {
        point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      } else if (unit >= 0xd800 && unit < 0xe000) {
        point = 0xfffd;  // half a pair stands for nothing
      }
      encode(point, out, length);
    }
    return true;
  }
  static bool hex(std::string_view raw, std::size_t at, unsigned& unit) {
    if (at + 4 > raw.size()) return false;
    const auto [stop, error] = std::from_chars(raw.data() + at, raw.data() + at + 4, unit, 16);
    return error == std::errc() && stop == raw.data() + at + 4;
  }
  static void encode(std::uint32_t point, char* out, std::size_t& length) {
    const auto put = [&](std::uint32_t byte) { out[length++] = static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point < 0x800) return put(0xc0 | point >> 6), put(0x80 | (point & 0x3f));
    if (point < 0x10000) return put(0xe0 | point >> 12), put(0x80 | (point >> 6 & 0x3f)), put(0x80 | (point & 0x3f));
    put(0xf0 | point >> 18), put(0x80 | (point >> 12 & 0x3f)), put(0x80 | (point >> 6 & 0x3f)), put(0x80 | (point & 0x3f));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool objects_[MAX_DEPTH] = {};
  bool short_ = false;
  const char* why_ = nullptr;
  Builder builder_;
  Dump& dump_;
};

}  // namespace

void read_json(std::span<const unsigned char> bytes, Dump& dump) { Reader(bytes, dump).read(); }

}  // namespace faultline::flight_recorder
