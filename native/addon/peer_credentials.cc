// `peerCredentials` as JavaScript sees it.
#include "addon/peer_credentials.h"

#include <cmath>
#include <cstdint>

#include "core/peer_credentials.h"

namespace faultline {

Napi::Value PeerCredentialsOf(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const double fd = info.Length() > 0 && info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1;
  if (!(fd >= 0 && fd <= INT32_MAX && std::trunc(fd) == fd)) {
    Napi::TypeError::New(env, "peerCredentials(fd: number)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const auto peer = peer_credentials(static_cast<int>(fd));
  if (!peer) return env.Null();
  Napi::Object found = Napi::Object::New(env);
  found.Set("pid", Napi::Number::New(env, peer->pid));
  found.Set("uid", Napi::Number::New(env, peer->uid));
  found.Set("gid", Napi::Number::New(env, peer->gid));
  Napi::Array groups = Napi::Array::New(env, peer->groups.size());
  for (uint32_t i = 0; i < peer->groups.size(); ++i) groups.Set(i, Napi::Number::New(env, peer->groups[i]));
  found.Set("groups", groups);
  return found;
}

}  // namespace faultline
