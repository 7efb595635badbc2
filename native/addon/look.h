// `lookAt` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

// (fd, path, offset, most, head: Buffer, done: (error, size, links, isNamed, begins, added: Buffer | null) => void), see
// core/files/look.h. On a thread of Node's pool, one job for all of it: a file on the network may hang.
Napi::Value LookAt(const Napi::CallbackInfo& info);

}  // namespace faultline
