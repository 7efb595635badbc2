// `WordScanner` as JavaScript sees it: a block in, the places of its lines with a word out.
#include "addon/word_scanner_object.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "addon/options.h"

namespace faultline {
namespace {

// How far was read, the newlines up to there, and of each line its offset, length, word and the newlines before it.
constexpr std::size_t kHead = 2;
constexpr std::size_t kEach = 4;
constexpr std::size_t kMostBlock = 1u << 30;

bool add_words(Options& options, const char* name, bool any_case, std::vector<ScanWord>& words) {
  const Napi::Value list = options.field(name);
  if (!list.IsArray()) return options.refuse(std::string(name) + " must be a list of texts"), false;
  const auto array = list.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value word = array.Get(i);
    if (!word.IsString()) return options.refuse(std::string(name) + " must be a list of texts"), false;
    words.push_back({word.As<Napi::String>(), any_case});
  }
  return true;
}

}  // namespace

Napi::Function WordScannerObject::Define(Napi::Env env) {
  return DefineClass(env, "WordScanner", {Method<&WordScannerObject::Scan>("scan")});
}

WordScannerObject::WordScannerObject(const Napi::CallbackInfo& info) : TaggedObject(info) {
  Options options(info.Env(), info[0], "WordScanner");
  const bool colours = options.boolean("colours");
  std::vector<ScanWord> words;
  if (!options.ok() || !add_words(options, "words", false, words) || !add_words(options, "anyCase", true, words)) return;
  auto scanner = WordScanner::make(std::move(words), colours);
  if (!scanner) {
    options.refuse("words must be of 2 to 256 bytes without a newline, and not more than 16384");
    return;
  }
  scanner_ = std::make_shared<const WordScanner>(std::move(*scanner));
  Ready(info);
}

// scan(block: Uint8Array, found: Uint32Array): number of lines
Napi::Value WordScannerObject::Scan(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto is = [](Napi::Value value, napi_typedarray_type type) {
    return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type;
  };
  if (!is(info[0], napi_uint8_array) || !is(info[1], napi_uint32_array)) {
    Napi::TypeError::New(env, "scan(block: Uint8Array, found: Uint32Array)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const auto block = info[0].As<Napi::Uint8Array>();
  auto found = info[1].As<Napi::Uint32Array>();
  if (found.ElementLength() < kHead + kEach || block.ElementLength() > kMostBlock) {
    Napi::RangeError::New(env, "scan: room for one line at least, and a block of a GiB at most").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  found_.clear();
  std::size_t newlines = 0;
  const std::string_view text(reinterpret_cast<const char*>(block.Data()), block.ElementLength());
  const std::size_t read = scanner_->scan(text, (found.ElementLength() - kHead) / kEach, found_, newlines);
  std::uint32_t* out = found.Data();
  *out++ = static_cast<std::uint32_t>(read);
  *out++ = static_cast<std::uint32_t>(newlines);
  for (const FoundLine& line : found_) {
    *out++ = static_cast<std::uint32_t>(line.offset);
    *out++ = static_cast<std::uint32_t>(line.length);
    *out++ = line.word;
    *out++ = static_cast<std::uint32_t>(line.newlines);
  }
  return Napi::Number::New(env, static_cast<double>(found_.size()));
}

}  // namespace faultline
