// `FlightRecorderReader` as JavaScript sees it: one run of the program that reads dumps, started and awaited on a thread.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Function DefineFlightRecorderReader(Napi::Env env);

}  // namespace faultline
