// `ProgramRun` as JavaScript sees it: one run of a program of Faultline's own, started and awaited on a thread.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Function DefineProgramRun(Napi::Env env);

}  // namespace faultline
