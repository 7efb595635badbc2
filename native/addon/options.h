// Reads option objects from JavaScript; the first field that is wrong becomes a TypeError that names it.
#pragma once

#include <napi.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "core/traceparent.h"

namespace faultline {

// A W3C trace context as optional last argument: empty where it is left out, nothing with a TypeError pending where it is
// not one.
inline std::optional<std::string> TraceparentArgument(Napi::Env env, Napi::Value value, const char* method) {
  if (value.IsUndefined()) return std::string();
  if (value.IsString()) {
    std::string text = value.As<Napi::String>();
    if (is_traceparent(text)) return text;
  }
  Napi::TypeError::New(env, std::string(method) + " needs a traceparent of version 00, or none")
      .ThrowAsJavaScriptException();
  return std::nullopt;
}

class Options {
 public:
  // `what` names the caller in messages, for example "Core".
  Options(Napi::Env env, Napi::Value value, std::string what) : env_(env), what_(std::move(what)) {
    if (value.IsObject()) {
      object_ = value.As<Napi::Object>();
    } else {
      refuse("needs an object of options");
    }
  }

  // False after any field was wrong; a JavaScript exception is then pending.
  bool ok() const { return ok_; }
  bool has(const char* name) const { return ok_ && !field(name).IsUndefined(); }

  double number(const char* name) {
    if (!ok_) return 0;
    const Napi::Value value = field(name);
    if (!value.IsNumber()) return refuse(std::string(name) + " must be a number"), 0;
    const double number = value.As<Napi::Number>().DoubleValue();
    if (!std::isfinite(number)) refuse(std::string(name) + " must be finite");
    return number;
  }
  double number(const char* name, double least, double most) {
    const double value = number(name);
    if (ok_ && !(value >= least && value <= most)) {
      refuse(std::string(name) + " must be between " + std::to_string(least) + " and " + std::to_string(most));
    }
    return ok_ ? value : least;
  }
  // Milliseconds as ns; up to a year.
  std::int64_t duration_ns(const char* name, double least_ms = 0) {
    return std::llround(number(name, least_ms, 366.0 * 86400e3) * 1e6);
  }
  bool boolean(const char* name) {
    if (!ok_) return false;
    const Napi::Value value = field(name);
    if (!value.IsBoolean()) return refuse(std::string(name) + " must be a boolean"), false;
    return value.As<Napi::Boolean>().Value();
  }
  std::string string(const char* name) {
    if (!ok_) return {};
    const Napi::Value value = field(name);
    if (!value.IsString()) return refuse(std::string(name) + " must be a string"), std::string();
    std::string text = value.As<Napi::String>();
    // A NUL inside would silently name another file.
    if (text.find('\0') != std::string::npos) refuse(std::string(name) + " must not contain a NUL character");
    return text;
  }
  Napi::Value field(const char* name) const { return object_.Get(name); }

  void refuse(const std::string& why) {
    if (ok_ && !env_.IsExceptionPending()) Napi::TypeError::New(env_, what_ + ": " + why).ThrowAsJavaScriptException();
    ok_ = false;
  }

 private:
  Napi::Env env_;
  std::string what_;
  Napi::Object object_;
  bool ok_ = true;
};

}  // namespace faultline
