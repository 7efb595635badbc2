// `parseKernelRecord` as JavaScript sees it.
#include "addon/kernel_record.h"

#include <string>

#include "core/kernel_log/kmsg.h"

namespace faultline {

Napi::Value ParseKernelRecord(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsString()) {
    Napi::TypeError::New(env, "parseKernelRecord(record: string)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const std::string record = info[0].As<Napi::String>();
  const auto parsed = parse_kmsg(record);
  if (!parsed) return env.Null();
  Napi::Object found = Napi::Object::New(env);
  found.Set("sequence", Napi::Number::New(env, static_cast<double>(parsed->sequence)));
  found.Set("priority", Napi::Number::New(env, parsed->priority));
  found.Set("facility", Napi::Number::New(env, parsed->facility));
  found.Set("fragment", Napi::Boolean::New(env, parsed->fragment));
  found.Set("text", Napi::String::New(env, parsed->text));
  return found;
}

}  // namespace faultline
