// The addon's entry point: puts what JavaScript sees on `exports`; all state belongs to the environment.
#include <napi.h>
#include <unistd.h>

#include "addon/checked_files.h"
#include "addon/core_object.h"
#include "addon/ethtool.h"
#include "addon/file_watch_object.h"
#include "addon/host_figures_object.h"
#include "addon/kernel_record.h"
#include "addon/look.h"
#include "addon/mapped_text.h"
#include "addon/names_with.h"
#include "addon/next_data.h"
#include "addon/peer_credentials.h"
#include "addon/process_table_object.h"
#include "addon/program_run.h"
#include "addon/queue_owners.h"
#include "addon/read_files.h"
#include "addon/reader_objects.h"
#include "addon/vendor_object.h"
#include "addon/word_scanner_object.h"
#include "core/confine/rights.h"
#include "core/footprint.h"
#include "core/notify.h"
#include "core/thread.h"

namespace faultline {
namespace {

Napi::Value Notify(const Napi::CallbackInfo& info) {
  if (info.Length() < 2 || !info[0].IsString() || !info[1].IsString()) {
    Napi::TypeError::New(info.Env(), "notify(socket: string, message: string)").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  const std::string socket = info[0].As<Napi::String>();
  const std::string message = info[1].As<Napi::String>();
  return Napi::Boolean::New(info.Env(), notify(socket, message));
}

// Node's own exit joins the threads of its pool; one that a dead disk holds would keep the process for ever.
Napi::Value ExitNow(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsNumber()) {
    Napi::TypeError::New(info.Env(), "exitNow(status: number)").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  _exit(info[0].As<Napi::Number>().Int32Value() & 0xff);
}

Napi::Value KeepMallocSmall(const Napi::CallbackInfo& info) {
  keep_malloc_small();
  return info.Env().Undefined();
}

// Milliseconds of work: on its own thread.
Napi::Value GiveBackMemory(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), start_thread("fl-give-back", [] { give_back_memory(); }));
}

Napi::Value GiveBackHeap(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), start_thread("fl-give-back", give_back_heap));
}

// No process of the same user reads or writes this one's memory from here on, nor its environment and open files.
Napi::Value HideMemory(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), confine::hide_memory());
}

Napi::Value Version(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), version().data(), version().size());
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("Core", CoreObject::Define(env));
  exports.Set("KernelLog", KernelLogObject::Define(env));
  exports.Set("Rapl", RaplObject::Define(env));
  exports.Set("FileWatch", FileWatchObject::Define(env));
  exports.Set("HostFigures", HostFiguresObject::Define(env));
  exports.Set("ProcessTable", ProcessTableObject::Define(env));
  exports.Set("Vendor", VendorObject::Define(env));
  exports.Set("WordScanner", WordScannerObject::Define(env));
  exports.Set("ProgramRun", DefineProgramRun(env));
  exports.Set("ethtoolStatistics", Napi::Function::New(env, EthtoolStatisticsOf, "ethtoolStatistics"));
  exports.Set("notify", Napi::Function::New(env, Notify, "notify"));
  exports.Set("exitNow", Napi::Function::New(env, ExitNow, "exitNow"));
  exports.Set("peerCredentials", Napi::Function::New(env, PeerCredentialsOf, "peerCredentials"));
  exports.Set("rdmaQueueOwners", Napi::Function::New(env, RdmaQueueOwners, "rdmaQueueOwners"));
  exports.Set("readFiles", Napi::Function::New(env, ReadFiles, "readFiles"));
  exports.Set("parseKernelRecord", Napi::Function::New(env, ParseKernelRecord, "parseKernelRecord"));
  exports.Set("namesWith", Napi::Function::New(env, NamesWithOf, "namesWith"));
  exports.Set("lookAt", Napi::Function::New(env, LookAt, "lookAt"));
  exports.Set("mapText", Napi::Function::New(env, MapText, "mapText"));
  exports.Set("nextData", Napi::Function::New(env, NextData, "nextData"));
  exports.Set("openChecked", Napi::Function::New(env, OpenChecked, "openChecked"));
  exports.Set("placersOfFolder", Napi::Function::New(env, PlacersOfFolder, "placersOfFolder"));
  exports.Set("giveTo", Napi::Function::New(env, GiveTo, "giveTo"));
  exports.Set("lockFile", Napi::Function::New(env, LockFile, "lockFile"));
  exports.Set("actAs", Napi::Function::New(env, ActAsUser, "actAs"));
  exports.Set("keepMallocSmall", Napi::Function::New(env, KeepMallocSmall, "keepMallocSmall"));
  exports.Set("giveBackHeap", Napi::Function::New(env, GiveBackHeap, "giveBackHeap"));
  exports.Set("giveBackMemory", Napi::Function::New(env, GiveBackMemory, "giveBackMemory"));
  exports.Set("hideMemory", Napi::Function::New(env, HideMemory, "hideMemory"));
  exports.Set("version", Napi::Function::New(env, Version, "version"));
  return exports;
}

}  // namespace
}  // namespace faultline

static Napi::Object FaultlineInit(Napi::Env env, Napi::Object exports) { return faultline::Init(env, exports); }
NODE_API_MODULE(faultline, FaultlineInit)
