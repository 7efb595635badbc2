// NVML as found at run time: every symbol looked up apart, a missing one is a missing capability.
#pragma once

#include <string>

#include "vendor/backend.h"
#include "vendor/nvml/abi.h"
#include "vendor/nvml/fields.h"
#include "vendor/nvml/system_events_abi.h"

namespace faultline::nvml {

struct Library {
#define NVML_CALL(id, member, kind, parameters, ...) Return(*member) parameters = nullptr;
#include "vendor/nvml/calls.def"
  const char* (*error_string)(Return) = nullptr;

  // "text (code)"; usable whether or not the library is loaded.
  std::string describe(Return code) const;
};

LoadResult load(const std::string& library, CallContext& calls, Library& nvml, std::string& why);

// A symbol that the library does not have answers like one that it does not support.
template <class... Parameters, class... Arguments>
Return call(CallContext& calls, VendorCall name, std::uint32_t device, Return (*function)(Parameters...),
            Arguments... arguments) {
  return calls.call(name, device, kFunctionNotFound, function, arguments...);
}

// What a return code asks for (grouping of nvmlReturn_t).
Outcome outcome_of(Return code);
inline Answer answer_of(Return code) { return {outcome_of(code), code}; }

}  // namespace faultline::nvml
