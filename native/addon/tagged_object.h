// A class of the addon whose methods are called on its own objects alone: each object carries its class's tag, and each method
// looks for it, so that a method that is borrowed for another object is a TypeError and never reads that one's memory.
#pragma once

#include <napi.h>

#include <string>

namespace faultline {

// `T` has `static constexpr char kClass[]`, its name in JavaScript, and `static constexpr napi_type_tag kTag`.
template <class T>
class TaggedObject : public Napi::ObjectWrap<T> {
 public:
  // The object behind a value; null for anything else than a T whose constructor succeeded.
  static T* Of(Napi::Value value) {
    if (!value.IsObject()) return nullptr;
    const auto object = value.As<Napi::Object>();
    return object.CheckTypeTag(&T::kTag) ? T::Unwrap(object) : nullptr;
  }

 protected:
  explicit TaggedObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<T>(info) {}

  // At the end of a constructor that succeeded.
  static void Ready(const Napi::CallbackInfo& info) { info.This().As<Napi::Object>().TypeTag(&T::kTag); }

  template <Napi::Value (T::*Call)(const Napi::CallbackInfo&)>
  static Napi::ClassPropertyDescriptor<T> Method(const char* name) {
    napi_property_descriptor property{};
    property.utf8name = name;
    property.method = Checked<Call>;
    return property;
  }

 private:
  template <Napi::Value (T::*Call)(const Napi::CallbackInfo&)>
  static napi_value Checked(napi_env env, napi_callback_info raw) {
    const Napi::CallbackInfo info(env, raw);
    T* const object = Of(info.This());
    if (object == nullptr) {
      ThrowForeign(env);
      return nullptr;
    }
    return (object->*Call)(info);
  }

  static void ThrowForeign(Napi::Env env) {
    if (env.IsExceptionPending()) return;
    Napi::TypeError::New(env, std::string("a method of ") + T::kClass + " was called on an object that is not a " + T::kClass)
        .ThrowAsJavaScriptException();
  }
};

}  // namespace faultline
