// `actAs` as JavaScript sees it: the whole process becomes another user, or nothing has happened.
#include <cstring>

#include "addon/checked_files.h"
#include "addon/options.h"
#include "core/act_as.h"

namespace faultline {
namespace {

constexpr double kMostId = 4294967294.0;

bool texts(const Napi::Value& value, std::vector<std::string>& into) {
  if (!value.IsArray()) return false;
  const auto list = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value each = list.Get(i);
    if (!each.IsString()) return false;
    into.push_back(each.As<Napi::String>());
  }
  return true;
}

}  // namespace

Napi::Value ActAsUser(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Options options(env, info[0], "actAs");
  ActAs wanted;
  wanted.user = static_cast<uid_t>(options.number("user", 1, kMostId));
  wanted.group = static_cast<gid_t>(options.number("group", 0, kMostId));
  wanted.program = options.string("program");
  if (options.has("kept")) wanted.kept = static_cast<int>(options.number("kept", 0, 1 << 20));
  if (options.ok() && (!texts(options.field("arguments"), wanted.arguments) ||
                       !texts(options.field("environment"), wanted.environment))) {
    options.refuse("arguments and environment must be arrays of strings");
  }
  if (!options.ok()) return env.Undefined();
  Napi::Error::New(env, std::strerror(act_as(wanted))).ThrowAsJavaScriptException();
  return env.Undefined();
}

}  // namespace faultline
