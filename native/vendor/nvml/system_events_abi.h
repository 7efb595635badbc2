// Our own declarations of NVML's system events (CUDA 12.8 on); scripts/check-nvml-layout compares them with nvml.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::nvml {

struct OpaqueSystemEventSet;
using SystemEventSetHandle = OpaqueSystemEventSet*;

struct SystemEventSetCreate {
  unsigned version;
  SystemEventSetHandle set;
};

struct SystemEventSetFree {
  unsigned version;
  SystemEventSetHandle set;
};

struct SystemRegisterEvents {
  unsigned version;
  unsigned long long eventTypes;
  SystemEventSetHandle set;
};

struct SystemEventData {
  unsigned long long eventType;
  unsigned gpuId;  // domain << 16 | bus << 8 | device
};

struct SystemEventSetWait {
  unsigned version;
  unsigned timeoutms;
  SystemEventSetHandle set;
  SystemEventData* data;
  unsigned dataSize;  // of elements
  unsigned numEvent;
};

template <class Request>
inline constexpr unsigned kFirstVersion = static_cast<unsigned>(sizeof(Request)) | 1U << 24;

inline constexpr unsigned long long kSystemEventDriverUnbind = 0x1;
inline constexpr unsigned long long kSystemEventDriverBind = 0x2;

static_assert(sizeof(SystemEventSetCreate) == 16 && sizeof(SystemEventSetFree) == 16);
static_assert(sizeof(SystemRegisterEvents) == 24 && offsetof(SystemRegisterEvents, set) == 16);
static_assert(sizeof(SystemEventData) == 16 && sizeof(SystemEventSetWait) == 32);

}  // namespace faultline::nvml
