// Binds the vendor supervisor.
#include "addon/vendor_object.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "addon/core_object.h"
#include "addon/options.h"
#include "core/vendor/protocol.h"

namespace faultline {
namespace {

constexpr double kShortestIntervalMs = static_cast<double>(kShortestIntervalNs) / 1e6;
constexpr double kLongestDurationMs = 366.0 * 86400e3;

}  // namespace

Napi::Function VendorObject::Define(Napi::Env env) {
  return DefineClass(env, "Vendor", {Method<&VendorObject::Burst>("burst"), Method<&VendorObject::Release>("release"),
                                     Method<&VendorObject::Pid>("pid"), Method<&VendorObject::Stop>("stop")});
}

VendorObject::VendorObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  const std::shared_ptr<Core> core = CoreObject::From(info.Env(), info[0]);
  if (core == nullptr) return;
  Options options(info.Env(), info[1], "Vendor");
  VendorLinkOptions link;
  link.executable = options.string("executable");
  link.library = options.string("library");
  link.interval_ns = options.duration_ns("intervalMs", kShortestIntervalMs);
  link.burst_interval_ns = options.duration_ns("burstIntervalMs", kShortestIntervalMs);
  link.call_deadline_ns = options.duration_ns("callDeadlineMs", 1);
  if (options.has("poll")) link.poll = options.boolean("poll");
  if (options.has("retryMs")) link.retry_ns = options.duration_ns("retryMs", 1);
  if (!options.ok()) return;
  link_ = std::make_shared<VendorLink>(core, std::move(link));
  core->attach(link_);
  Ready(info);
}

VendorObject::~VendorObject() {
  if (link_ != nullptr) link_->stop();
}

std::optional<std::int64_t> VendorObject::Duration(const Napi::CallbackInfo& info, const char* method) const {
  const double ms = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1;
  if (ms >= 0 && ms <= kLongestDurationMs) return std::max<std::int64_t>(1, std::llround(ms * 1e6));
  Napi::TypeError::New(info.Env(), std::string("Vendor.") + method + " needs a duration in ms of at least 0")
      .ThrowAsJavaScriptException();
  return std::nullopt;
}

Napi::Value VendorObject::Burst(const Napi::CallbackInfo& info) {
  if (const auto duration = Duration(info, "burst")) link_->burst(*duration);
  return info.Env().Undefined();
}

Napi::Value VendorObject::Release(const Napi::CallbackInfo& info) {
  const auto duration = Duration(info, "release");
  if (!duration) return info.Env().Undefined();
  if (auto traceparent = TraceparentArgument(info.Env(), info[1], "Vendor.release")) {
    link_->release(*duration, std::move(*traceparent));
  }
  return info.Env().Undefined();
}

Napi::Value VendorObject::Pid(const Napi::CallbackInfo& info) {
  const pid_t pid = link_->pid();
  return pid > 0 ? Napi::Number::New(info.Env(), pid) : info.Env().Null();
}

Napi::Value VendorObject::Stop(const Napi::CallbackInfo& info) {
  link_->stop();
  return info.Env().Undefined();
}

}  // namespace faultline
