// Writes JSON: text from a dump is made valid and harmless on its way out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flight_recorder/limits.h"

namespace faultline::flight_recorder {

class JsonText {
 public:
  explicit JsonText(std::size_t max_text = MAX_SHOWN_TEXT) : max_text_(max_text) {}
  JsonText& open(char bracket) { return comma(), text_ += bracket, fresh_ = true, *this; }
  JsonText& close(char bracket) { return text_ += bracket, fresh_ = false, *this; }
  JsonText& key(std::string_view name) { return comma(), quote(name), text_ += ':', fresh_ = true, *this; }
  JsonText& value(std::string_view text) { return comma(), quote(text), *this; }
  JsonText& value(std::int64_t number) { return comma(), text_ += std::to_string(number), *this; }
  JsonText& number(double number, int digits);
  JsonText& truth(bool value) { return comma(), text_ += value ? "true" : "false", *this; }
  // A value that is written already.
  JsonText& raw(std::string_view json) { return comma(), text_ += json, *this; }
  JsonText& null() { return comma(), text_ += "null", *this; }
  // RFC 3339 in UTC with nine digits; null for 0.
  JsonText& time(std::int64_t ns);
  std::size_t size() const { return text_.size(); }
  std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  void quote(std::string_view text);
  std::size_t max_text_;  // of one text, in bytes
  std::string text_;
  bool fresh_ = true;
};

}  // namespace faultline::flight_recorder
