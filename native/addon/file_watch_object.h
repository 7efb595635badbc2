// `FileWatch` as JavaScript sees it.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "core/core.h"
#include "core/files/file_watch.h"

namespace faultline {

class FileWatchObject final : public TaggedObject<FileWatchObject> {
 public:
  static constexpr char kClass[] = "FileWatch";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d66696c652d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit FileWatchObject(const Napi::CallbackInfo& info);
  ~FileWatchObject() override;

 private:
  Napi::Value Groups(const Napi::CallbackInfo& info);
  Napi::Value Counts(const Napi::CallbackInfo& info);
  Napi::Value Hangs(const Napi::CallbackInfo& info);
  Napi::Value Ended(const Napi::CallbackInfo& info);
  Napi::Value Stop(const Napi::CallbackInfo& info);

  std::shared_ptr<Core> core_;
  std::shared_ptr<FileWatch> watch_;
};

}  // namespace faultline
