// Detector specifications from JavaScript.
#include "addon/detector_specs.h"

#include <cmath>

#include "addon/options.h"

namespace faultline {
namespace {

constexpr std::uint32_t kMaxDetectors = 1024;
constexpr double kMaxCount = 1e6;

Side ReadSide(Options& options) {
  const std::string when = options.string("when");
  if (when != "above" && when != "below") options.refuse("when must be \"above\" or \"below\"");
  return when == "above" ? Side::above : Side::below;
}

std::size_t ReadCount(Options& options, const char* name) {
  return static_cast<std::size_t>(std::ceil(options.number(name, 0, kMaxCount)));
}

LevelSpec ReadLevel(Options& options) {
  return {ReadSide(options), options.number("limit"), options.number("clear"), options.duration_ns("dwellMs"),
          options.duration_ns("clearDwellMs")};
}

MaskSpec ReadMask(Options& options) {
  const double bits = options.number("bits", 1, 9007199254740992.0);
  return {static_cast<std::uint64_t>(bits), options.duration_ns("dwellMs"), options.duration_ns("clearDwellMs")};
}

RateSpec ReadRate(Options& options) {
  return {options.number("perSecond"), options.duration_ns("windowMs"), options.duration_ns("clearDwellMs")};
}

DropSpec ReadDrop(Options& options) {
  return {ReadSide(options),
          options.number("ratio"),
          options.number("clearRatio"),
          options.duration_ns("windowMs"),
          ReadCount(options, "minSamples"),
          ReadCount(options, "dwellSamples")};
}

TrendSpec ReadTrend(Options& options) {
  return {ReadSide(options), options.number("limit"), options.duration_ns("horizonMs"), options.duration_ns("windowMs"),
          ReadCount(options, "minSamples")};
}

PeersSpec ReadPeers(Options& options) {
  return {ReadSide(options), options.number("ratio"), ReadCount(options, "minPeers"), options.duration_ns("dwellMs"),
          options.duration_ns("clearDwellMs")};
}

DetectorSpec ReadOne(Napi::Env env, Napi::Value value) {
  Options options(env, value, "detector");
  DetectorSpec spec;
  if (!options.ok()) return spec;
  spec.name = options.string("name");
  Options select(env, options.field("select"), "detector " + spec.name + ": select");
  spec.component_type = select.string("componentType");
  spec.quantity = select.string("quantity");
  if (!select.ok()) return spec;
  Options rule(env, value, "detector " + spec.name);
  const std::string type = rule.string("type");
  if (type == "level") {
    spec.rule = ReadLevel(rule);
  } else if (type == "mask") {
    spec.rule = ReadMask(rule);
  } else if (type == "rate") {
    spec.rule = ReadRate(rule);
  } else if (type == "drop") {
    spec.rule = ReadDrop(rule);
  } else if (type == "trend") {
    spec.rule = ReadTrend(rule);
  } else if (type == "peers") {
    spec.rule = ReadPeers(rule);
  } else {
    rule.refuse("type must be level, mask, rate, drop, trend or peers");
  }
  if (!rule.ok()) return spec;
  if (const std::string wrong = check(spec); !wrong.empty()) {
    Napi::RangeError::New(env, wrong).ThrowAsJavaScriptException();
  }
  return spec;
}

}  // namespace

std::optional<std::vector<DetectorSpec>> ReadDetectorSpecs(Napi::Env env, Napi::Value value) {
  if (!value.IsArray() || value.As<Napi::Array>().Length() > kMaxDetectors) {
    Napi::TypeError::New(env, "setDetectors needs an array of at most 1024 detectors").ThrowAsJavaScriptException();
    return std::nullopt;
  }
  const auto array = value.As<Napi::Array>();
  std::vector<DetectorSpec> specs;
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    specs.push_back(ReadOne(env, array.Get(i)));
    if (env.IsExceptionPending()) return std::nullopt;
  }
  return specs;
}

}  // namespace faultline
