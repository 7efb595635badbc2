// `peerCredentials` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

// (fd): `{ pid, uid, gid }`, or null for what is not a connected unix socket.
Napi::Value PeerCredentialsOf(const Napi::CallbackInfo& info);

}  // namespace faultline
