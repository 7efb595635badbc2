// `FileWatch` as JavaScript sees it: its plan is checked here once, and what it knows is handed over in one array.
#include "addon/file_watch_object.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "addon/core_object.h"
#include "addon/options.h"

namespace faultline {
namespace {

constexpr std::size_t kMostTextBytes = 64;
constexpr std::size_t kMostNamesBytes = 512 * 1024;
constexpr double kMostRounds = 1e6;
constexpr double kMostPlaces = 16'384;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kKinds[] = {"held", "counter", "rate", "power", "temperature"};

class PlanReader {
 public:
  PlanReader(Napi::Env env, const SteadyClock& clock) : env_(env), clock_(clock) {}

  // False with a TypeError pending.
  bool groups(Options& options, std::vector<GroupPlan>& plans) {
    return each(options, "groups", [&](Options& group) {
      GroupPlan plan;
      if (group.has("totalsMs")) plan.totals_ns = clock_.from_ms(group.number("totalsMs"));
      if (!each(group, "files", [&](Options& file) { return add_file(file, plan); })) return false;
      if (!each(group, "series", [&](Options& one) { return add_series(one, plan); })) return false;
      plans.push_back(std::move(plan));
      return true;
    });
  }

 private:
  template <typename Take>
  bool each(Options& options, const char* name, Take take) {
    const Napi::Value value = options.ok() ? options.field(name) : env_.Undefined();
    if (!value.IsArray()) return options.refuse(std::string(name) + " must be an array"), false;
    const auto array = value.As<Napi::Array>();
    for (std::uint32_t i = 0; i < array.Length(); ++i) {
      Options one(env_, array.Get(i), std::string("FileWatch ") + name);
      if (!one.ok() || !take(one) || !one.ok()) return false;
    }
    return options.ok();
  }

  bool add_file(Options& options, GroupPlan& group) {
    FilePlan file;
    file.path = options.string("path");
    file.folder = options.has("folder") && options.boolean("folder");
    file.slow = options.has("slow") && options.boolean("slow");
    if (options.has("limit")) file.limit = options.number("limit");
    file.absent = options.has("expected") && options.field("expected").IsNull();
    if (options.has("expected") && !file.absent) file.expected = options.string("expected");
    if (file.expected && file.expected->size() >= (file.folder ? kMostNamesBytes : kMostTextBytes)) {
      options.refuse("expected is too long");
    }
    if (file.folder ? !(file.expected || file.absent) : file.absent) options.refuse("expected is missing");
    if (++files_ > kMostWatchedFiles) options.refuse("at most " + std::to_string(kMostWatchedFiles) + " files");
    group.files.push_back(std::move(file));
    return options.ok();
  }

  bool add_series(Options& options, GroupPlan& group) {
    SeriesPlan series;
    series.key = options.string("key");
    const std::string kind = options.string("kind");
    std::size_t at = 0;
    while (at < std::size(kKinds) && kind != kKinds[at]) ++at;
    if (at == std::size(kKinds)) options.refuse("kind must be one of held, counter, rate, power, temperature");
    else series.kind = static_cast<SeriesPlan::Kind>(at);
    if (options.has("value")) series.value = options.number("value");
    if (options.has("total")) series.total = options.number("total");
    series.slow = options.has("slow") && options.boolean("slow");
    if (options.has("files") && !add_places(options, group, series)) return false;
    if (++series_ > kMostWatchedSeries) options.refuse("at most " + std::to_string(kMostWatchedSeries) + " series");
    group.series.push_back(std::move(series));
    return options.ok();
  }

  static bool add_places(Options& options, const GroupPlan& group, SeriesPlan& series) {
    const Napi::Value value = options.field("files");
    const std::uint32_t length = value.IsArray() ? value.As<Napi::Array>().Length() : 0;
    if (!value.IsArray() || length > kMostPlaces) return options.refuse("files must be an array of places"), false;
    for (std::uint32_t i = 0; i < length; ++i) {
      const Napi::Value place = value.As<Napi::Array>().Get(i);
      const double number = place.IsNumber() ? place.As<Napi::Number>().DoubleValue() : -1;
      if (!(number >= 0 && number < static_cast<double>(group.files.size()))) {
        return options.refuse("files must be places in the files of the group"), false;
      }
      series.files.push_back(static_cast<std::uint32_t>(number));
    }
    return true;
  }

  const Napi::Env env_;
  const SteadyClock& clock_;
  std::size_t files_ = 0;
  std::size_t series_ = 0;
};

}  // namespace

Napi::Function FileWatchObject::Define(Napi::Env env) {
  return DefineClass(env, "FileWatch",
                     {Method<&FileWatchObject::Groups>("groups"),
                      Method<&FileWatchObject::Counts>("counts"),
                      Method<&FileWatchObject::Hangs>("hangs"),
                      Method<&FileWatchObject::Ended>("ended"),
                      Method<&FileWatchObject::Stop>("stop")});
}

FileWatchObject::FileWatchObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  core_ = CoreObject::From(info.Env(), info[0]);
  if (!core_) return;
  Options options(info.Env(), info[1], "FileWatch");
  FileWatchOptions read;
  read.name = options.string("name");
  read.interval_ns = options.duration_ns("intervalMs", 1);
  read.first_ns = options.duration_ns("firstMs");
  read.slow_rounds = static_cast<std::uint32_t>(options.number("slowRounds", 1, kMostRounds));
  if (!PlanReader(info.Env(), core_->clock()).groups(options, read.groups)) return;
  watch_ = FileWatch::start(core_, std::move(read));
  core_->attach(watch_);
  Ready(info);
}

// Dropped without a stop it must not continue: no listener is left for what it reports.
FileWatchObject::~FileWatchObject() {
  if (watch_) watch_->stop();
}

Napi::Value FileWatchObject::Groups(const Napi::CallbackInfo& info) {
  std::vector<double> flat;
  const auto ms = [&](std::int64_t ns) { return ns == 0 ? kNone : core_->clock().to_ms(ns); };
  for (const GroupState& group : watch_->groups()) {
    flat.insert(flat.end(), {ms(group.began_ns), ms(group.ended_ns)});
    for (std::size_t i = 0; i < group.totals.size(); ++i) flat.insert(flat.end(), {group.totals[i], group.rates[i]});
  }
  auto array = Napi::Float64Array::New(info.Env(), flat.size());
  std::copy(flat.begin(), flat.end(), array.Data());
  return array;
}

Napi::Value FileWatchObject::Counts(const Napi::CallbackInfo& info) {
  const WatchCounts counts = watch_->counts();
  Napi::Object object = Napi::Object::New(info.Env());
  object.Set("rounds", Napi::Number::New(info.Env(), static_cast<double>(counts.rounds)));
  object.Set("reads", Napi::Number::New(info.Env(), static_cast<double>(counts.reads)));
  object.Set("readSeconds", Napi::Number::New(info.Env(), static_cast<double>(counts.reading_ns) / 1e9));
  object.Set("dropped", Napi::Number::New(info.Env(), static_cast<double>(counts.dropped)));
  return object;
}

Napi::Value FileWatchObject::Hangs(const Napi::CallbackInfo& info) {
  const double ms = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1;
  if (!(ms >= 0 && ms <= 1e9)) {
    Napi::TypeError::New(info.Env(), "hangs needs a duration in ms").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const std::string path = watch_->hangs(static_cast<std::int64_t>(ms * 1e6));
  return path.empty() ? info.Env().Null() : Napi::String::New(info.Env(), path);
}

Napi::Value FileWatchObject::Ended(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), watch_->ended());
}

Napi::Value FileWatchObject::Stop(const Napi::CallbackInfo& info) {
  watch_->stop();
  return info.Env().Undefined();
}

}  // namespace faultline
