// `ProcessTable` as JavaScript sees it: one method, whose answer comes by callback.
#include "addon/process_table_object.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "addon/options.h"
#include "core/clock.h"

namespace faultline {
namespace {

constexpr std::uint32_t kMostVariables = 256;
constexpr std::uint32_t kMostHolders = 65'536;

struct Answer {
  std::vector<std::string> variables;
  ProcessScan scan;
};
using SharedTable = std::shared_ptr<Answer>;

Napi::Array TextsOf(Napi::Env env, const std::vector<std::string>& texts) {
  Napi::Array array = Napi::Array::New(env, texts.size());
  for (std::uint32_t i = 0; i < texts.size(); ++i) array[i] = Napi::String::New(env, texts[i]);
  return array;
}

double StartedMs(std::uint64_t start_ticks) {
  const auto now = [](clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const auto ticks = static_cast<double>(std::max(::sysconf(_SC_CLK_TCK), 1L));
  return std::floor(now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME) + static_cast<double>(start_ticks) * 1e3 / ticks);
}

Napi::Object RowOf(Napi::Env env, const WantedProcess& process, const std::vector<std::string>& variables) {
  Napi::Object row = Napi::Object::New(env);
  row.Set("pid", Napi::Number::New(env, process.pid));
  row.Set("startTicks", Napi::Number::New(env, static_cast<double>(process.start_ticks)));
  row.Set("startedMs", process.start_ticks == 0 ? env.Null() : Napi::Number::New(env, StartedMs(process.start_ticks)));
  row.Set("parent", Napi::Number::New(env, process.parent));
  row.Set("innerPid", Napi::Number::New(env, process.inner_pid == 0 ? process.pid : process.inner_pid));
  row.Set("readable", Napi::Boolean::New(env, process.readable));
  row.Set("group", Napi::String::New(env, process.group));
  row.Set("ownMounts", Napi::Boolean::New(env, process.own_mounts));
  Napi::Array owner = Napi::Array::New(env, process.owner.size());
  for (std::uint32_t i = 0; i < process.owner.size(); ++i) owner[i] = Napi::Number::New(env, process.owner[i]);
  row.Set("owner", owner);
  Napi::Object values = Napi::Object::New(env);
  for (std::size_t i = 0; i < process.values.size() && i < variables.size(); ++i) {
    if (process.values[i]) values.Set(variables[i], Napi::String::New(env, *process.values[i]));
  }
  row.Set("variables", values);
  row.Set("command", TextsOf(env, process.command));
  return row;
}

// By ReaderState.
constexpr const char* kReaderStates[] = {"unasked", "absent", "closed", "other_build", "late", "powerless", "perfmon", "ptrace"};

constexpr const char* kWrittenBy[] = {"itself", "ancestor", "pipe", "group"};

Napi::Object WritesOf(Napi::Env env, const Writes& writes) {
  Napi::Object row = Napi::Object::New(env);
  row.Set("pid", Napi::Number::New(env, writes.pid));
  Napi::Array files = Napi::Array::New(env, writes.files.size());
  for (std::uint32_t i = 0; i < writes.files.size(); ++i) {
    Napi::Object file = Napi::Object::New(env);
    file.Set("path", Napi::String::New(env, writes.files[i].path));
    file.Set("inode", Napi::Number::New(env, static_cast<double>(writes.files[i].inode)));
    file.Set("by", Napi::String::New(env, kWrittenBy[static_cast<std::size_t>(writes.files[i].by)]));
    file.Set("output", Napi::Boolean::New(env, writes.files[i].output));
    files[i] = file;
  }
  row.Set("files", files);
  row.Set("libraries", TextsOf(env, writes.libraries));
  row.Set("devices", TextsOf(env, writes.devices));
  return row;
}

void CallTable(Napi::Env env, Napi::Function callback, SharedTable* shared, void*) {
  if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
  const ProcessScan& scan = (**shared).scan;
  Napi::Object answer = Napi::Object::New(env);
  auto present = Napi::Uint32Array::New(env, scan.present.size());
  std::copy(scan.present.begin(), scan.present.end(), present.Data());
  answer.Set("present", present);
  Napi::Array changed = Napi::Array::New(env, scan.changed.size());
  for (std::uint32_t i = 0; i < scan.changed.size(); ++i) changed[i] = RowOf(env, scan.changed[i], (**shared).variables);
  answer.Set("changed", changed);
  Napi::Array writes = Napi::Array::New(env, scan.writes.size());
  for (std::uint32_t i = 0; i < scan.writes.size(); ++i) writes[i] = WritesOf(env, scan.writes[i]);
  answer.Set("writes", writes);
  answer.Set("cpuMs", Napi::Number::New(env, static_cast<double>(scan.cpu_ns) / 1e6));
  answer.Set("refused", Napi::Number::New(env, scan.refused));
  answer.Set("hanging", TextsOf(env, scan.hanging));
  answer.Set("reader", env.Null());
  if (scan.reader) {
    Napi::Object reader = Napi::Object::New(env);
    reader.Set("state", Napi::String::New(env, kReaderStates[static_cast<std::size_t>(*scan.reader)]));
    reader.Set("shutOff", Napi::Boolean::New(env, scan.reader_shut_off));
    reader.Set("listsFiles", Napi::Boolean::New(env, scan.reader_lists_files));
    answer.Set("reader", reader);
  }
  napi_value argument = answer;
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 1, &argument, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}
using TableDone = Napi::TypedThreadSafeFunction<SharedTable, void, CallTable>;

// On a thread of Node's pool: a dead mount hangs.
class LendJob final : public Napi::AsyncWorker {
 public:
  LendJob(Napi::Function done, std::shared_ptr<ProcessTable> table, ProcessKey process, std::uint64_t inode)
      : AsyncWorker(done, "faultline log of a process"), table_(std::move(table)), process_(process), inode_(inode) {}

  void Execute() override {
    const int fd = table_->lend_log(process_, inode_);
    if (fd < 0) error_ = fd;
    else log_.reset(fd);
  }

  std::vector<napi_value> GetResult(Napi::Env env) override {
    return {Napi::Number::New(env, log_ ? log_.release() : error_)};
  }

 private:
  const std::shared_ptr<ProcessTable> table_;
  const ProcessKey process_;
  const std::uint64_t inode_;
  Descriptor log_;
  int error_ = 0;
};

// The texts of an option that is a list of them.
std::vector<std::string> Texts(Napi::Env env, Options& options, const char* name) {
  std::vector<std::string> texts;
  const Napi::Value given = options.ok() ? options.field(name) : env.Undefined();
  if (options.ok() && (!given.IsArray() || given.As<Napi::Array>().Length() > kMostVariables)) {
    options.refuse(std::string(name) + " must be an array of at most " + std::to_string(kMostVariables) + " texts");
  }
  for (std::uint32_t i = 0; options.ok() && i < given.As<Napi::Array>().Length(); ++i) {
    const Napi::Value text = given.As<Napi::Array>().Get(i);
    if (text.IsString()) texts.push_back(text.As<Napi::String>());
    else options.refuse(std::string(name) + " must be texts");
  }
  return texts;
}

// The places of an option's texts among the variables.
std::vector<std::size_t> Places(Napi::Env env, Options& options, const char* name, const std::vector<std::string>& variables) {
  std::vector<std::size_t> places;
  for (const std::string& text : Texts(env, options, name)) {
    const auto place = std::find(variables.begin(), variables.end(), text);
    if (place == variables.end()) options.refuse(std::string(name) + " must be among the variables");
    else places.push_back(static_cast<std::size_t>(place - variables.begin()));
  }
  return places;
}

}  // namespace

Napi::Function ProcessTableObject::Define(Napi::Env env) {
  return DefineClass(env, "ProcessTable", {Method<&ProcessTableObject::Scan>("scan"), Method<&ProcessTableObject::LendLog>("lendLog"),
                                              Method<&ProcessTableObject::WatchEnds>("watchEnds"), Method<&ProcessTableObject::TakeEnds>("takeEnds"),
                                              Method<&ProcessTableObject::StopWatching>("stopWatching")});
}

ProcessTableObject::ProcessTableObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  Options options(info.Env(), info[0], "ProcessTable");
  ProcessTableOptions read;
  read.proc = options.string("proc");
  read.variables = Texts(info.Env(), options, "variables");
  read.markers = Places(info.Env(), options, "markers", read.variables);
  read.ranks = Places(info.Env(), options, "ranks", read.variables);
  read.paths = Places(info.Env(), options, "paths", read.variables);
  read.groups = Texts(info.Env(), options, "groups");
  read.libraries = Texts(info.Env(), options, "libraries");
  read.devices = Texts(info.Env(), options, "devices");
  const std::string reader = options.string("reader");
  if (!options.ok()) return;
  variables_ = read.variables;
  std::unique_ptr<ProcessFiles> files = reader.empty() ? std::make_unique<ProcessFiles>() : std::make_unique<HelpedFiles>(reader);
  table_ = std::make_shared<ProcessTable>(std::move(read), std::move(files));
  Ready(info);
}

ProcessTableObject::~ProcessTableObject() { Stop(); }

void ProcessTableObject::Stop() {
  if (table_) table_->stop_watching();
  if (ends_) ends_->Close();
  ends_.reset();
}

Napi::Value ProcessTableObject::WatchEnds(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsString() || !info[1].IsFunction()) {
    Napi::TypeError::New(env, "watchEnds(cgroups: string, wake: () => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  Stop();
  ends_ = WakeChannel::Open(env, info[1].As<Napi::Function>(), nullptr);
  const bool watches = table_->watch_ends(info[0].As<Napi::String>(), [channel = ends_] { channel->Wake(); });
  if (!watches) Stop();
  return Napi::Boolean::New(env, watches);
}

Napi::Value ProcessTableObject::TakeEnds(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Ends ends = table_->ends();
  const std::int64_t now_ns = monotonic_now();
  const auto age = [&](std::int64_t at_ns) { return Napi::Number::New(env, static_cast<double>(now_ns - at_ns) / 1e6); };
  Napi::Array processes = Napi::Array::New(env, ends.processes.size());
  for (std::uint32_t i = 0; i < ends.processes.size(); ++i) {
    Napi::Object end = Napi::Object::New(env);
    end.Set("pid", Napi::Number::New(env, ends.processes[i].process.pid));
    end.Set("startTicks", Napi::Number::New(env, static_cast<double>(ends.processes[i].process.start_ticks)));
    end.Set("agoMs", age(ends.processes[i].at_ns));
    processes[i] = end;
  }
  Napi::Array groups = Napi::Array::New(env, ends.groups.size());
  for (std::uint32_t i = 0; i < ends.groups.size(); ++i) {
    Napi::Object end = Napi::Object::New(env);
    end.Set("group", Napi::String::New(env, ends.groups[i].group));
    end.Set("agoMs", age(ends.groups[i].at_ns));
    groups[i] = end;
  }
  Napi::Object all = Napi::Object::New(env);
  all.Set("processes", processes);
  all.Set("groups", groups);
  return all;
}

Napi::Value ProcessTableObject::StopWatching(const Napi::CallbackInfo& info) {
  Stop();
  return info.Env().Undefined();
}

Napi::Value ProcessTableObject::LendLog(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber() || !info[1].IsNumber() || !info[2].IsNumber() || !info[3].IsFunction()) {
    Napi::TypeError::New(env, "lendLog(pid: number, startTicks: number, inode: number, done: (fd) => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const auto number = [&](std::size_t which) { return static_cast<std::uint64_t>(std::max<std::int64_t>(info[which].As<Napi::Number>().Int64Value(), 0)); };
  (new LendJob(info[3].As<Napi::Function>(), table_, {static_cast<std::uint32_t>(number(0)), number(1)}, number(2)))->Queue();  // ends itself
  return env.Undefined();
}

Napi::Value ProcessTableObject::Scan(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsArray() || !info[1].IsFunction()) {
    Napi::TypeError::New(env, "scan(holders: number[], done: (scan) => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  std::vector<std::uint32_t> holders;
  const Napi::Array numbers = info[0].As<Napi::Array>();
  for (std::uint32_t i = 0; i < std::min(numbers.Length(), kMostHolders); ++i) {
    const Napi::Value number = numbers.Get(i);
    if (number.IsNumber()) holders.push_back(number.As<Napi::Number>().Uint32Value());
  }
  const SharedTable answer = std::make_shared<Answer>(Answer{variables_, {}});
  const TableDone done = TableDone::New(env, info[1].As<Napi::Function>(), "faultline processes", 0, 1, new SharedTable(answer),
                              [](Napi::Env, void*, SharedTable* held) { delete held; });
  const bool started = table_->scan(std::move(holders), [answer, done](ProcessScan scan) {
    answer->scan = std::move(scan);
    done.NonBlockingCall();
    TableDone(done).Release();
  });
  if (!started) TableDone(done).Release();
  return Napi::Boolean::New(env, started);
}

}  // namespace faultline
