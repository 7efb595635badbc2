// `KernelLog` and `Rapl` as JavaScript sees them: readers that belong to a Core and can be stopped.
#include "addon/reader_objects.h"

#include "addon/core_object.h"
#include "addon/options.h"
#include "addon/word_scanner_object.h"
#include "core/kernel_log/kernel_log.h"
#include "core/rapl/rapl.h"

namespace faultline {

Napi::Function KernelLogObject::Define(Napi::Env env) {
  return DefineClass(env, "KernelLog", {Method<&KernelLogObject::Stop>("stop"),
                                        Method<&KernelLogObject::Counts>("counts")});
}

KernelLogObject::KernelLogObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  const std::shared_ptr<Core> core = CoreObject::From(info.Env(), info[0]);
  if (!core) return;
  Options options(info.Env(), info[1], "KernelLog");
  KernelLogOptions read{options.string("path"), options.boolean("userLines"), options.boolean("fromStart"),
                        options.has("foldStorms") && options.boolean("foldStorms"), nullptr};
  if (options.has("words")) {
    const WordScannerObject* const words = WordScannerObject::Of(options.field("words"));
    if (words == nullptr) options.refuse("words must be a WordScanner");
    if (words != nullptr) read.words = words->scanner();
  }
  if (!options.ok()) return;
  auto reader = KernelLog::start(core, std::move(read));
  core->attach(reader);
  reader_ = std::move(reader);
  Ready(info);
}

Napi::Value KernelLogObject::Stop(const Napi::CallbackInfo& info) {
  reader_->stop();
  return info.Env().Undefined();
}

Napi::Value KernelLogObject::Counts(const Napi::CallbackInfo& info) {
  const KernelLogCounts counts = reader_->counts();
  Napi::Object object = Napi::Object::New(info.Env());
  const auto set = [&](const char* name, std::uint64_t count) {
    object.Set(name, Napi::Number::New(info.Env(), static_cast<double>(count)));
  };
  set("userLines", counts.user_lines);
  set("fragments", counts.fragments);
  set("malformed", counts.malformed);
  set("folded", counts.folded);
  set("handed", counts.handed);
  set("passed", counts.passed);
  return object;
}

Napi::Function RaplObject::Define(Napi::Env env) {
  return DefineClass(env, "Rapl", {Method<&RaplObject::Stop>("stop")});
}

RaplObject::RaplObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  const std::shared_ptr<Core> core = CoreObject::From(info.Env(), info[0]);
  if (!core) return;
  Options options(info.Env(), info[1], "Rapl");
  RaplOptions read{options.string("sysRoot"), options.string("host"), options.duration_ns("intervalMs", 1),
                   options.duration_ns("fastIntervalMs")};
  if (!options.ok()) return;
  auto reader = Rapl::start(core, std::move(read));
  core->attach(reader);
  reader_ = std::move(reader);
  Ready(info);
}

Napi::Value RaplObject::Stop(const Napi::CallbackInfo& info) {
  reader_->stop();
  return info.Env().Undefined();
}

}  // namespace faultline
