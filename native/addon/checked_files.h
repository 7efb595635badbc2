// `openChecked`, `placersOfFolder`, `actAs` and `lockFile` as JavaScript sees them.
#pragma once

#include <napi.h>

namespace faultline {

// (path, purpose: "read" | "folder" | "ask" | "write", done: (why, text, where, fd) => void, namedBy?). `why`: "" where it is
// open, the name of a refusal, or "system", where `fd` is -errno. On a thread of Node's pool: a dead mount hangs.
Napi::Value OpenChecked(const Napi::CallbackInfo& info);

// (path: string): who besides root and this process may have a say in what the path of a folder leads to, whether or not it
// is there yet: `{users, shared, group, folder, reason}`. `folder`: the last that is there; `reason`: why it may not be entered.
Napi::Value PlacersOfFolder(const Napi::CallbackInfo& info);

// (path: string, user: number, group: number): see core/files/give_to.h.
Napi::Value GiveTo(const Napi::CallbackInfo& info);

// (fd: number): takes the kernel's lock of this open file, which lasts until its last descriptor is closed, as by any end of
// the process; false where another holds it.
Napi::Value LockFile(const Napi::CallbackInfo& info);

// (options): becomes another user, see core/act_as.h; throws where it could not.
Napi::Value ActAsUser(const Napi::CallbackInfo& info);

}  // namespace faultline
