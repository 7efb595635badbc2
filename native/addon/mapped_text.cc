// `mapText` as JavaScript sees it: a text that V8 reads where it lies, instead of keeping a copy.
#include "addon/mapped_text.h"

#include "core/files/mapped_text.h"

// Of Node-API 10, asked for by name: an older Node has none, and what is here is of the eighth.
extern "C" [[gnu::weak]] napi_status node_api_create_external_string_latin1(napi_env env, char* text, size_t length,
                                                                             void (*finalize)(napi_env, void*, void*),
                                                                             void* hint, napi_value* result, bool* copied);

namespace faultline {
namespace {

void let_go(napi_env, void*, void* text) { delete static_cast<MappedText*>(text); }

}  // namespace

// Undefined where it cannot be had: then the file is read as any other.
Napi::Value MapText(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 3 || !info[0].IsString() || !info[1].IsString() || !info[2].IsString()) {
    Napi::TypeError::New(env, "mapText(path: string, before: string, after: string)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  if (node_api_create_external_string_latin1 == nullptr) return env.Undefined();
  const std::string path = info[0].As<Napi::String>();
  const std::string before = info[1].As<Napi::String>();
  const std::string after = info[2].As<Napi::String>();
  auto mapped = MappedText::of(path.c_str(), before, after);
  if (mapped == nullptr) return env.Undefined();
  const std::string_view text = mapped->text();
  napi_value result = nullptr;
  bool copied = false;
  // Never written to: V8 takes no constant.
  const napi_status status = node_api_create_external_string_latin1(env, const_cast<char*>(text.data()), text.size(), let_go,
                                                                    mapped.get(), &result, &copied);
  if (status != napi_ok) return env.Undefined();
  mapped.release();  // `let_go` has it, at once where V8 made a copy all the same
  return {env, result};
}

}  // namespace faultline
