// `ProgramRun` as JavaScript sees it: one run of a program of Faultline's own, started and awaited on a thread.
#include "addon/program_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "addon/options.h"
#include "addon/tagged_object.h"
#include "core/run_program.h"
#include "core/thread.h"

namespace faultline {
namespace {

// What is handed over of an answer; a line before them, "pid N", names a process that the program started.
constexpr std::size_t LINES = 3;
constexpr std::string_view PID = "pid ";

// SharedStarted by the thread and the object; the last of them ends it.
struct Started {
  ProgramRun run;
  StopSignal stop;
  ProgramAnswer answer;
  // The program, and the process that it started; 0 while there is none.
  std::atomic<int> pid{0}, inner{0};
};

using SharedStarted = std::shared_ptr<Started>;

const char* name_of(ProgramEnd end) {
  switch (end) {
    case ProgramEnd::exited: return "exited";
    case ProgramEnd::signalled: return "signalled";
    case ProgramEnd::not_started: return "not_started";
    case ProgramEnd::stopped: return "stopped";
    case ProgramEnd::late: return "late";
    case ProgramEnd::too_much: return "too_much";
  }
  return "";
}

class ProgramRunObject final : public TaggedObject<ProgramRunObject> {
 public:
  static constexpr char kClass[] = "ProgramRun";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d70726f672d31ULL};

  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "ProgramRun", {Method<&ProgramRunObject::Stop>("stop"),
                                           Method<&ProgramRunObject::Pids>("pids")});
  }

  // ({program, input, deadlineMs, mostBytes}, done): `done(end, number, line, line, line)` is called once, on the JavaScript
  // thread.
  explicit ProgramRunObject(const Napi::CallbackInfo& info) : TaggedObject(info), work_(std::make_shared<Started>()) {
    const Napi::Env env = info.Env();
    Options options(env, info[0], "ProgramRun");
    work_->run.program = options.string("program");
    work_->run.deadline_ns = options.duration_ns("deadlineMs");
    work_->run.most_bytes = static_cast<std::size_t>(options.number("mostBytes", 0, 1 << 30));
    if (!options.ok()) return;
    const Napi::Value input = options.field("input");
    if (!input.IsString() || !info[1].IsFunction()) {
      Napi::TypeError::New(env, "ProgramRun({program, input: string, ...}, done)").ThrowAsJavaScriptException();
      return;
    }
    work_->run.input = input.As<Napi::String>();
    const Done done = Done::New(env, info[1].As<Napi::Function>(), "faultline program run", 0, 1,
                                new SharedStarted(work_), [](Napi::Env, void*, SharedStarted* held) { delete held; });
    const SharedStarted work = work_;
    Started* const held = work_.get();  // by its own functions it must not be kept alive
    work_->run.started = [held](int pid) { held->pid = pid; };
    work_->run.first_line = [held](std::string_view line) {
      int pid = 0;
      if (line.starts_with(PID)) std::from_chars(line.data() + PID.size(), line.data() + line.size(), pid);
      held->inner = pid;
    };
    const bool started = start_thread("fl-program", [work, done]() {
      run_program(work->run, work->stop, [&](ProgramAnswer answer) {
        work->answer = std::move(answer);
        done.NonBlockingCall();
        Done(done).Release();
      });
    });
    if (!started) {
      Done(done).Release();
      Napi::Error::New(env, "ProgramRun: the system refused a thread").ThrowAsJavaScriptException();
      return;
    }
    Ready(info);
  }

 private:
  static void Call(Napi::Env env, Napi::Function callback, SharedStarted* shared, void*) {
    if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
    ProgramAnswer& answer = (*shared)->answer;
    std::array<std::string_view, LINES> lines;
    std::string_view left = answer.output;
    if (left.starts_with(PID)) left.remove_prefix(std::min(left.size(), left.find('\n') + 1));
    for (std::string_view& line : lines) {
      const std::size_t end = left.find('\n');
      line = left.substr(0, end);
      left = end == std::string_view::npos ? std::string_view("") : left.substr(end + 1);
    }
    napi_value arguments[2 + LINES] = {Napi::String::New(env, name_of(answer.end)), Napi::Number::New(env, answer.number)};
    for (std::size_t i = 0; i < LINES; ++i) arguments[2 + i] = Napi::String::New(env, lines[i].data(), lines[i].size());
    answer.output = std::string();
    napi_value undefined = env.Undefined();
    if (napi_call_function(env, undefined, callback, std::size(arguments), arguments, nullptr) != napi_pending_exception) return;
    napi_value thrown = nullptr;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
  }
  using Done = Napi::TypedThreadSafeFunction<SharedStarted, void, Call>;

  Napi::Value Stop(const Napi::CallbackInfo& info) {
    work_->stop.raise();
    return info.Env().Undefined();
  }

  // Of its processes, as far as they are known; also after they ended.
  Napi::Value Pids(const Napi::CallbackInfo& info) {
    Napi::Array pids = Napi::Array::New(info.Env());
    for (const int pid : {work_->pid.load(), work_->inner.load()}) {
      if (pid > 0) pids.Set(pids.Length(), Napi::Number::New(info.Env(), pid));
    }
    return pids;
  }

  SharedStarted work_;
};

}  // namespace

Napi::Function DefineProgramRun(Napi::Env env) { return ProgramRunObject::Define(env); }

}  // namespace faultline
