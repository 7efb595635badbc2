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
  const double without = options.has("without") ? options.number("without", 0, 9007199254740992.0) : 0;
  return {static_cast<std::uint64_t>(bits), options.duration_ns("dwellMs"), options.duration_ns("clearDwellMs"),
          static_cast<std::uint64_t>(without)};
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
          ReadCount(options, "dwellSamples"),
          options.has("follows") && options.boolean("follows")};
}

TrendSpec ReadTrend(Options& options) {
  return {ReadSide(options), options.number("limit"), options.duration_ns("horizonMs"), options.duration_ns("windowMs"),
          ReadCount(options, "minSamples")};
}

PeersSpec ReadPeers(Options& options) {
  return {ReadSide(options), options.number("ratio"), ReadCount(options, "minPeers"), options.duration_ns("dwellMs"),
          options.duration_ns("clearDwellMs"), options.has("grouped") && options.boolean("grouped")};
}

std::int64_t ReadMaxAge(Options& options) { return options.has("maxAgeMs") ? options.duration_ns("maxAgeMs") : 0; }

Against ReadAgainst(Options& options) {
  const std::string as = options.string("as");
  if (as != "ratio" && as != "difference") options.refuse("as must be \"ratio\" or \"difference\"");
  return {options.string("quantity"), as == "ratio", ReadMaxAge(options)};
}

Guard ReadGuard(Options& options) {
  Guard guard;
  guard.quantity = options.string("quantity");
  if (options.has("against")) guard.against = options.string("against");
  const std::string when = options.string("when");
  if (when == "absent") {
    guard.when = Holds::absent;
  } else {
    guard.when = ReadSide(options) == Side::above ? Holds::above : Holds::below;
    guard.limit = options.number("limit");
  }
  guard.max_age_ns = ReadMaxAge(options);
  const std::string otherwise = options.string("otherwise");
  if (otherwise != "hold" && otherwise != "clear") options.refuse("otherwise must be \"hold\" or \"clear\"");
  guard.hold = otherwise == "hold";
  if (options.has("unknown")) {
    const std::string unknown = options.string("unknown");
    if (unknown != "holds" && unknown != "fails") options.refuse("unknown must be \"holds\" or \"fails\"");
    guard.unknown_holds = unknown == "holds";
  }
  return guard;
}

// What the detector looks at besides its own series; false with an exception pending.
bool ReadCompanions(Napi::Env env, const Options& rule, DetectorSpec& spec) {
  const std::string what = "detector " + spec.name;
  if (rule.has("against")) {
    Options options(env, rule.field("against"), what + ": against");
    if (options.ok()) spec.against = ReadAgainst(options);
    if (!options.ok()) return false;
  }
  if (!rule.has("only")) return true;
  const Napi::Value list = rule.field("only");
  if (!list.IsArray() || list.As<Napi::Array>().Length() > kMostGuards) {
    Napi::TypeError::New(env, what + ": only must be a list of at most 8 conditions").ThrowAsJavaScriptException();
    return false;
  }
  const auto array = list.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    Options options(env, array.Get(i), what + ": only");
    if (options.ok()) spec.only.push_back(ReadGuard(options));
    if (!options.ok()) return false;
  }
  return true;
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
  if (!rule.ok() || !ReadCompanions(env, rule, spec)) return spec;
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
