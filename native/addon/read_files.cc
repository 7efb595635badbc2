// `readFiles` as JavaScript sees it: many small files read by one job of Node's pool, instead of one job each.
#include "addon/read_files.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace faultline {
namespace {

constexpr std::size_t kMostFiles = 4096;

// The arrays stay referenced until the job is over, however long a read hangs.
class ReadJob final : public Napi::AsyncWorker {
 public:
  ReadJob(Napi::Function done, Napi::Int32Array files, Napi::Int32Array sizes, Napi::Uint8Array into)
      : AsyncWorker(done, "faultline files"),
        held_{Napi::Persistent(files.As<Napi::Object>()), Napi::Persistent(sizes.As<Napi::Object>()),
              Napi::Persistent(into.As<Napi::Object>())},
        files_(files.Data()), sizes_(sizes.Data()), into_(into.Data()), count_(files.ElementLength()),
        share_(into.ElementLength() / count_) {}

  void Execute() override {
    for (std::size_t i = 0; i < count_; ++i) {
      if (std::atomic_ref(sizes_[count_]).load(std::memory_order_acquire) != 0) return;
      const ssize_t size = ::pread(files_[i], into_ + i * share_, share_, 0);
      std::atomic_ref(sizes_[i]).store(static_cast<std::int32_t>(size < 0 ? -errno : size), std::memory_order_release);
    }
  }

 private:
  Napi::ObjectReference held_[3];
  const std::int32_t* files_;
  std::int32_t* sizes_;
  std::uint8_t* into_;
  std::size_t count_;
  std::size_t share_;
};

bool is_array(const Napi::Value& value, napi_typedarray_type type) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type;
}

}  // namespace

Napi::Value ReadFiles(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const bool typed = info.Length() >= 4 && is_array(info[0], napi_int32_array) &&
                     is_array(info[1], napi_int32_array) &&
                     is_array(info[2], napi_uint8_array) && info[3].IsFunction();
  if (typed) {
    const auto files = info[0].As<Napi::Int32Array>();
    const auto sizes = info[1].As<Napi::Int32Array>();
    const auto into = info[2].As<Napi::Uint8Array>();
    const std::size_t count = files.ElementLength();
    if (count > 0 && count <= kMostFiles && sizes.ElementLength() == count + 1 && into.ElementLength() >= count) {
      (new ReadJob(info[3].As<Napi::Function>(), files, sizes, into))->Queue();  // ends itself
      return env.Undefined();
    }
  }
  Napi::TypeError::New(env, "readFiles(files: Int32Array, sizes: Int32Array of one more, into: Uint8Array, done: () => void)")
      .ThrowAsJavaScriptException();
  return env.Undefined();
}

}  // namespace faultline
