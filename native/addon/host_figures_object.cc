// `HostFigures` as JavaScript sees it: one method, whose answer comes by callback, its numbers in typed arrays.
#include "addon/host_figures_object.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "addon/options.h"

namespace faultline {
namespace {

using SharedFigures = std::shared_ptr<HostRound>;

Napi::Float64Array Numbers(Napi::Env env, const std::vector<double>& values) {
  auto array = Napi::Float64Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Array Texts(Napi::Env env, const std::vector<std::string>& texts) {
  Napi::Array array = Napi::Array::New(env, texts.size());
  for (std::uint32_t i = 0; i < texts.size(); ++i) array[i] = Napi::String::New(env, texts[i]);
  return array;
}

// {names, counters}: as many counters for each name; null where the file was not there.
template <typename Device>
Napi::Value Table(Napi::Env env, bool there, const std::vector<Device>& devices) {
  if (!there) return env.Null();
  std::vector<std::string> names;
  std::vector<double> counters;
  for (const Device& device : devices) {
    names.push_back(device.name);
    counters.insert(counters.end(), device.values.begin(), device.values.end());
  }
  Napi::Object table = Napi::Object::New(env);
  table.Set("names", Texts(env, names));
  table.Set("counters", Numbers(env, counters));
  return table;
}

// As `HostRound` of src/native.ts has it.
Napi::Object AnswerOf(Napi::Env env, const HostRound& round) {
  std::vector<double> numbers(round.cpu.begin(), round.cpu.end());
  numbers.insert(numbers.end(), {round.tasks_blocked, round.boot_time_s, round.load});
  numbers.insert(numbers.end(), round.memory_kib.begin(), round.memory_kib.end());
  for (const auto& pressure : round.pressure_us) numbers.insert(numbers.end(), pressure.begin(), pressure.end());
  Napi::Object answer = Napi::Object::New(env);
  answer.Set("numbers", Numbers(env, numbers));
  answer.Set("disks", Table(env, round.has_disks, round.disks));
  answer.Set("interfaces", Table(env, round.has_interfaces, round.interfaces));
  answer.Set("interfaceDevices", Texts(env, round.interface_devices));
  answer.Set("bootId", Napi::String::New(env, round.boot_id));
  std::vector<std::string> failed;
  std::vector<double> errors;
  for (const auto& [path, error] : round.failures) {
    failed.push_back(path);
    errors.push_back(error);
  }
  answer.Set("failed", Texts(env, failed));
  answer.Set("errors", Numbers(env, errors));
  answer.Set("hanging", Texts(env, round.hanging));
  return answer;
}

void CallFigures(Napi::Env env, Napi::Function callback, SharedFigures* shared, void*) {
  if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
  napi_value argument = AnswerOf(env, **shared);
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 1, &argument, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}
using FiguresDone = Napi::TypedThreadSafeFunction<SharedFigures, void, CallFigures>;

}  // namespace

Napi::Function HostFiguresObject::Define(Napi::Env env) {
  return DefineClass(env, "HostFigures", {Method<&HostFiguresObject::Read>("read")});
}

HostFiguresObject::HostFiguresObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  Options options(info.Env(), info[0], "HostFigures");
  HostRoots roots{options.string("proc"), options.string("sys")};
  if (!options.ok()) return;
  figures_ = std::make_shared<HostFigures>(std::move(roots));
  Ready(info);
}

Napi::Value HostFiguresObject::Read(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(env, "read(done: (round) => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const SharedFigures round = std::make_shared<HostRound>();
  const FiguresDone done = FiguresDone::New(env, info[0].As<Napi::Function>(), "faultline host", 0, 1, new SharedFigures(round),
                              [](Napi::Env, void*, SharedFigures* held) { delete held; });
  const bool started = figures_->read([round, done](HostRound read) {
    *round = std::move(read);
    done.NonBlockingCall();
    FiguresDone(done).Release();
  });
  if (!started) FiguresDone(done).Release();
  return Napi::Boolean::New(env, started);
}

}  // namespace faultline
