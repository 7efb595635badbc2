// `Core` as JavaScript sees it.
#include "addon/core_object.h"

#include <span>

#include "addon/detector_specs.h"
#include "addon/options.h"
#include "addon/to_js.h"

namespace faultline {
namespace {

constexpr double kMaxHistorySeconds = 86400;
constexpr double kMaxSeries = 1e6;

bool IsTypedArray(const Napi::Value& value, napi_typedarray_type type) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type;
}

std::optional<CoreOptions> ReadOptions(const Napi::CallbackInfo& info) {
  Options options(info.Env(), info[0], "Core");
  CoreOptions read;
  read.history_seconds = options.number("historySeconds", 0, kMaxHistorySeconds);
  read.max_series = static_cast<std::size_t>(options.number("maxSeries", 1, kMaxSeries));
  if (options.has("anchorMs")) read.anchor_ms = options.number("anchorMs");
  if (!options.ok()) return std::nullopt;
  return read;
}

}  // namespace

Napi::Function CoreObject::Define(Napi::Env env) {
  return DefineClass(env, "Core",
                     {Method<&CoreObject::Now>("now"), Method<&CoreObject::OnWake>("onWake"),
                      Method<&CoreObject::Idle>("idle"), Method<&CoreObject::Drain>("drain"),
                      Method<&CoreObject::SetDetectors>("setDetectors"),
                      Method<&CoreObject::SetPeerGroup>("setPeerGroup"),
                      Method<&CoreObject::Series>("series"),
                      Method<&CoreObject::SeriesKeys>("seriesKeys"), Method<&CoreObject::Push>("push"),
                      Method<&CoreObject::TakeAggregates>("aggregates"),
                      Method<&CoreObject::ReadHistory>("history"), Method<&CoreObject::Stats>("stats"),
                      Method<&CoreObject::Close>("close")});
}

std::shared_ptr<Core> CoreObject::From(Napi::Env env, Napi::Value value) {
  if (const CoreObject* const object = Of(value)) return object->core_;
  if (!env.IsExceptionPending()) Napi::TypeError::New(env, "a Core is needed here").ThrowAsJavaScriptException();
  return nullptr;
}

CoreObject::CoreObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  const auto options = ReadOptions(info);
  if (!options) return;
  core_ = std::make_shared<Core>(*options);
  Ready(info);
  // Runs before the environment takes its thread-safe functions away. It joins nothing.
  napi_add_env_cleanup_hook(info.Env(), EnvironmentEnds, this);
}

CoreObject::~CoreObject() {
  if (core_) napi_remove_env_cleanup_hook(Env(), EnvironmentEnds, this);
  CloseAll();
}

void CoreObject::EnvironmentEnds(void* object) { static_cast<CoreObject*>(object)->CloseAll(); }

void CoreObject::CloseChannel() {
  if (!channel_) return;
  core_->set_wake(nullptr);
  channel_->Close();
  channel_.reset();
}

void CoreObject::CloseAll() {
  if (!core_) return;
  CloseChannel();
  core_->close();
}

Napi::Value CoreObject::Now(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), core_->clock().to_ms(monotonic_now()));
}

Napi::Value CoreObject::OnWake(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(info.Env(), "onWake needs a function").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  CloseChannel();
  if (core_->closed()) return info.Env().Undefined();
  channel_ = WakeChannel::Open(info.Env(), info[0].As<Napi::Function>(), core_);
  core_->set_wake([channel = channel_] { channel->Wake(); });
  return info.Env().Undefined();
}

Napi::Value CoreObject::Idle(const Napi::CallbackInfo& info) { return Napi::Boolean::New(info.Env(), core_->idle()); }

Napi::Value CoreObject::Drain(const Napi::CallbackInfo& info) { return ToJs(info.Env(), core_->drain(), *core_); }

Napi::Value CoreObject::SetDetectors(const Napi::CallbackInfo& info) {
  auto specs = ReadDetectorSpecs(info.Env(), info[0]);
  if (specs) core_->set_detectors(std::move(*specs));
  return info.Env().Undefined();
}

Napi::Value CoreObject::SetPeerGroup(const Napi::CallbackInfo& info) {
  const bool none = info[1].IsNull();
  if (!info[0].IsString() || !(none || info[1].IsNumber())) {
    Napi::TypeError::New(info.Env(), "setPeerGroup needs a component and a number or null").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  std::optional<double> group;
  if (!none) group = info[1].As<Napi::Number>().DoubleValue();
  core_->set_group(info[0].As<Napi::String>().Utf8Value(), group);
  return info.Env().Undefined();
}

Napi::Value CoreObject::Series(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) {
    Napi::TypeError::New(info.Env(), "series needs a key").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  return Napi::Number::New(info.Env(), core_->series(info[0].As<Napi::String>().Utf8Value()));
}

Napi::Value CoreObject::SeriesKeys(const Napi::CallbackInfo& info) {
  const std::vector<std::string> keys = core_->keys();
  Napi::Array array = Napi::Array::New(info.Env(), keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) array.Set(i, Napi::String::New(info.Env(), keys[i]));
  return array;
}

Napi::Value CoreObject::Push(const Napi::CallbackInfo& info) {
  if (!IsTypedArray(info[0], napi_uint32_array) || !IsTypedArray(info[1], napi_float64_array) ||
      !IsTypedArray(info[2], napi_float64_array)) {
    Napi::TypeError::New(info.Env(), "push needs (Uint32Array, Float64Array, Float64Array)")
        .ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const auto ids = info[0].As<Napi::Uint32Array>();
  const auto times = info[1].As<Napi::Float64Array>();
  const auto values = info[2].As<Napi::Float64Array>();
  if (ids.ElementLength() != times.ElementLength() || ids.ElementLength() != values.ElementLength()) {
    Napi::RangeError::New(info.Env(), "push needs arrays of one length").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const auto traceparent = TraceparentArgument(info.Env(), info[3], "push");
  if (!traceparent) return info.Env().Undefined();
  core_->push(std::span(ids.Data(), ids.ElementLength()), std::span(times.Data(), times.ElementLength()),
              std::span(values.Data(), values.ElementLength()), *traceparent);
  return info.Env().Undefined();
}

Napi::Value CoreObject::TakeAggregates(const Napi::CallbackInfo& info) {
  return ToJs(info.Env(), core_->aggregates(), core_->clock());
}

Napi::Value CoreObject::ReadHistory(const Napi::CallbackInfo& info) {
  if (!info[0].IsString() || !info[1].IsNumber() || !info[2].IsNumber()) {
    Napi::TypeError::New(info.Env(), "history needs (key, fromMs, toMs)").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const auto samples = core_->history(info[0].As<Napi::String>().Utf8Value(), info[1].As<Napi::Number>().DoubleValue(),
                                      info[2].As<Napi::Number>().DoubleValue());
  return ToJs(info.Env(), samples, core_->clock());
}

Napi::Value CoreObject::Stats(const Napi::CallbackInfo& info) { return ToJs(info.Env(), core_->stats()); }

Napi::Value CoreObject::Close(const Napi::CallbackInfo& info) {
  CloseAll();
  return info.Env().Undefined();
}

}  // namespace faultline
