// `FlightRecorderAnalysis` as JavaScript sees it: one analysis on a thread of its own, its progress and its result.
#include "addon/flight_recorder_object.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/thread.h"
#include "flight_recorder/analyse.h"

namespace faultline {
namespace {

constexpr std::uint32_t MAX_PATHS = 200'000;

// Shared by the thread and the object; the last of them ends it.
struct Work {
  std::vector<std::string> paths;
  flight_recorder::Progress progress;
  std::string job;  // as Wanted::job
  bool summary_wanted = false;
  std::string document;
  std::string summary;
  std::string error;
};

using Shared = std::shared_ptr<Work>;

class FlightRecorderAnalysis final : public Napi::ObjectWrap<FlightRecorderAnalysis> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "FlightRecorderAnalysis",
                       {InstanceMethod("progress", &FlightRecorderAnalysis::ProgressOf),
                        InstanceMethod("cancel", &FlightRecorderAnalysis::Cancel)});
  }

  // (paths, done, {job, summary}): `done(error | null, document, summary)` is called once, on the JavaScript thread.
  explicit FlightRecorderAnalysis(const Napi::CallbackInfo& info) : ObjectWrap(info), work_(std::make_shared<Work>()) {
    const Napi::Env env = info.Env();
    if (!ReadPaths(info[0]) || !info[1].IsFunction() || !ReadWanted(info[2])) {
      Napi::TypeError::New(env, "FlightRecorderAnalysis(paths: string[], done: (error, document, summary) => void, {job?, summary?})")
          .ThrowAsJavaScriptException();
      return;
    }
    const Done done = Done::New(env, info[1].As<Napi::Function>(), "faultline flight recorder", 0, 1,
                                new Shared(work_), [](Napi::Env, void*, Shared* held) { delete held; });
    const Shared work = work_;
    const bool started = start_thread("fl-fr", [work, done]() {
      Run(*work);
      done.NonBlockingCall();
      Done(done).Release();
    });
    if (!started) {
      Done(done).Release();
      Napi::Error::New(env, "FlightRecorderAnalysis: the system refused a thread").ThrowAsJavaScriptException();
    }
  }

 private:
  static void Call(Napi::Env env, Napi::Function callback, Shared* shared, void*) {
    if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
    const Work& work = **shared;
    const napi_value error = work.error.empty() ? env.Null() : Napi::Error::New(env, work.error).Value();
    napi_value arguments[] = {error, Napi::String::New(env, work.document), Napi::String::New(env, work.summary)};
    napi_value undefined = env.Undefined();
    if (napi_call_function(env, undefined, callback, 3, arguments, nullptr) != napi_pending_exception) return;
    napi_value thrown = nullptr;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
  }
  using Done = Napi::TypedThreadSafeFunction<Shared, void, Call>;

  static void Run(Work& work) {
    const flight_recorder::Wanted wanted{work.job, work.summary_wanted ? &work.summary : nullptr};
    work.document = flight_recorder::analyse(work.paths, work.progress, wanted);
    if (work.document.empty()) work.error = work.progress.cancelled ? "cancelled" : "out of memory";
  }

  bool ReadPaths(Napi::Value value) {
    if (!value.IsArray()) return false;
    const auto list = value.As<Napi::Array>();
    if (list.Length() > MAX_PATHS) return false;
    for (std::uint32_t i = 0; i < list.Length(); ++i) {
      const Napi::Value path = list.Get(i);
      if (!path.IsString()) return false;
      work_->paths.push_back(path.As<Napi::String>());
      if (work_->paths.back().find('\0') != std::string::npos) return false;
    }
    return true;
  }

  bool ReadWanted(Napi::Value value) {
    if (value.IsUndefined()) return true;
    if (!value.IsObject()) return false;
    const Napi::Value job = value.As<Napi::Object>().Get("job");
    const Napi::Value summary = value.As<Napi::Object>().Get("summary");
    if (job.IsString()) work_->job = job.As<Napi::String>();
    work_->summary_wanted = summary.IsBoolean() && summary.As<Napi::Boolean>();
    return (job.IsUndefined() || job.IsString()) && (summary.IsUndefined() || summary.IsBoolean());
  }

  Napi::Value ProgressOf(const Napi::CallbackInfo& info) {
    Napi::Object progress = Napi::Object::New(info.Env());
    progress.Set("files", Napi::Number::New(info.Env(), work_->progress.files));
    progress.Set("done", Napi::Number::New(info.Env(), work_->progress.done));
    progress.Set("bytes", Napi::Number::New(info.Env(), static_cast<double>(work_->progress.bytes)));
    return progress;
  }

  Napi::Value Cancel(const Napi::CallbackInfo& info) {
    work_->progress.cancelled = true;
    return info.Env().Undefined();
  }

  Shared work_;
};

}  // namespace

Napi::Function DefineFlightRecorderAnalysis(Napi::Env env) { return FlightRecorderAnalysis::Define(env); }

}  // namespace faultline
