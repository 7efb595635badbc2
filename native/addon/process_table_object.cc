// `ProcessTable` as JavaScript sees it: one method, whose answer comes by callback.
#include "addon/process_table_object.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "addon/options.h"

namespace faultline {
namespace {

constexpr std::uint32_t kMostVariables = 256;

struct Answer {
  std::vector<std::string> variables;
  ProcessScan scan;
};
using SharedTable = std::shared_ptr<Answer>;

Napi::Object RowOf(Napi::Env env, const WantedProcess& process, const std::vector<std::string>& variables) {
  Napi::Object row = Napi::Object::New(env);
  row.Set("pid", Napi::Number::New(env, process.pid));
  row.Set("startTicks", Napi::Number::New(env, static_cast<double>(process.start_ticks)));
  row.Set("ownMounts", Napi::Boolean::New(env, process.own_mounts));
  Napi::Array owner = Napi::Array::New(env, process.owner.size());
  for (std::uint32_t i = 0; i < process.owner.size(); ++i) owner[i] = Napi::Number::New(env, process.owner[i]);
  row.Set("owner", owner);
  Napi::Object values = Napi::Object::New(env);
  for (std::size_t i = 0; i < process.values.size() && i < variables.size(); ++i) {
    if (process.values[i]) values.Set(variables[i], Napi::String::New(env, *process.values[i]));
  }
  row.Set("variables", values);
  Napi::Array command = Napi::Array::New(env, process.command.size());
  for (std::uint32_t i = 0; i < process.command.size(); ++i) command[i] = Napi::String::New(env, process.command[i]);
  row.Set("command", command);
  return row;
}

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
    files[i] = file;
  }
  row.Set("files", files);
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
  answer.Set("refused", Napi::Number::New(env, scan.refused));
  Napi::Array hanging = Napi::Array::New(env, scan.hanging.size());
  for (std::uint32_t i = 0; i < scan.hanging.size(); ++i) hanging[i] = Napi::String::New(env, scan.hanging[i]);
  answer.Set("hanging", hanging);
  napi_value argument = answer;
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 1, &argument, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}
using TableDone = Napi::TypedThreadSafeFunction<SharedTable, void, CallTable>;

}  // namespace

Napi::Function ProcessTableObject::Define(Napi::Env env) {
  return DefineClass(env, "ProcessTable", {Method<&ProcessTableObject::Scan>("scan")});
}

ProcessTableObject::ProcessTableObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  Options options(info.Env(), info[0], "ProcessTable");
  ProcessTableOptions read;
  read.proc = options.string("proc");
  const std::string marker = options.string("marker");
  const Napi::Value names = options.ok() ? options.field("variables") : info.Env().Undefined();
  if (options.ok() && (!names.IsArray() || names.As<Napi::Array>().Length() > kMostVariables)) {
    options.refuse("variables must be an array of at most " + std::to_string(kMostVariables) + " names");
  }
  for (std::uint32_t i = 0; options.ok() && i < names.As<Napi::Array>().Length(); ++i) {
    const Napi::Value name = names.As<Napi::Array>().Get(i);
    if (name.IsString()) read.variables.push_back(name.As<Napi::String>());
    else options.refuse("variables must be names");
  }
  const auto place = std::find(read.variables.begin(), read.variables.end(), marker);
  if (options.ok() && place == read.variables.end()) options.refuse("marker must be one of the variables");
  if (!options.ok()) return;
  read.marker = static_cast<std::size_t>(place - read.variables.begin());
  variables_ = read.variables;
  table_ = std::make_shared<ProcessTable>(std::move(read));
  Ready(info);
}

Napi::Value ProcessTableObject::Scan(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(env, "scan(done: (scan) => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const SharedTable answer = std::make_shared<Answer>(Answer{variables_, {}});
  const TableDone done = TableDone::New(env, info[0].As<Napi::Function>(), "faultline processes", 0, 1, new SharedTable(answer),
                              [](Napi::Env, void*, SharedTable* held) { delete held; });
  const bool started = table_->scan([answer, done](ProcessScan scan) {
    answer->scan = std::move(scan);
    done.NonBlockingCall();
    TableDone(done).Release();
  });
  if (!started) TableDone(done).Release();
  return Napi::Boolean::New(env, started);
}

}  // namespace faultline
