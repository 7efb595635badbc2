// `readFiles` as JavaScript sees it: many small files read by one job of Node's pool, instead of one job each.
#pragma once

#include <napi.h>

namespace faultline {

// (files: Int32Array, sizes: Int32Array, into: Uint8Array, done: () => void): reads each file from its start into its share
// of `into`. `sizes` is one longer than `files`: each becomes the bytes read or -errno as soon as its read came back; a
// number other than 0 in the last place ends the job before the next file. `done` is called once, on the JavaScript thread.
Napi::Value ReadFiles(const Napi::CallbackInfo& info);

}  // namespace faultline
