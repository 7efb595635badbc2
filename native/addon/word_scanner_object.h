// `WordScanner` as JavaScript sees it: a block in, the places of its lines with a word out.
#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "addon/tagged_object.h"
#include "core/scan/word_scanner.h"

namespace faultline {

class WordScannerObject final : public TaggedObject<WordScannerObject> {
 public:
  static constexpr char kClass[] = "WordScanner";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d736361776f31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit WordScannerObject(const Napi::CallbackInfo& info);

  std::shared_ptr<const WordScanner> scanner() const { return scanner_; }

 private:
  Napi::Value Scan(const Napi::CallbackInfo& info);
  std::shared_ptr<const WordScanner> scanner_;
  std::vector<FoundLine> found_;
};

}  // namespace faultline
