// What the child needs of a vendor's library. A vendor is a folder with one of these and a line in backends.def; everything
// else, deadlines, budgets, pauses, floods, confinement, is the child's and the same for all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/vendor/words.h"
#include "vendor/answers.h"
#include "vendor/call_context.h"

namespace faultline {

// An attempt to open a device. A device that is not `opened` says which call answered what.
struct Opening {
  std::unique_ptr<VendorDevice> opened;
  std::string pci;              // "0000:1b:00.0"
  std::uint32_t index = kNoDevice;
  VendorCall call = VendorCall::kEnd;
  Answer answer;
};

// One look at what sensors say, for finding out how often they change; NaN: no value.
struct SensorLook {
  double energy = VendorDevice::kUnknown;
  double power = VendorDevice::kUnknown;
  std::int64_t reported_us = 0;  // what the library itself says that the read took
};

// A pass over all that is read seldom.
struct SlowPass {
  std::uint64_t number = 1;
  bool seldom = true;  // with what changes slowly
};

struct DriverEvent {
  std::uint32_t seat = kNoDevice;
  EventWord word = EventWord::kEnd;  // kEnd: none that was asked for
  std::uint64_t data = 0;            // the number of an XID
  std::string part;                  // which part of the device, in words
  bool processor_stalled = false;    // the device's own processor does not answer the driver
  bool split_otherwise = false;      // the device is split into other parts now
};

// Events of devices, waited for in a thread of their own.
class DeviceEventStream {
 public:
  virtual ~DeviceEventStream() = default;
  virtual Answer open() = 0;
  virtual std::size_t devices() const = 0;
  virtual Answer watch(std::size_t device) = 0;
  // Up to kEventWaitMs; kTimeout where none came.
  virtual Answer wait(DriverEvent& event) = 0;
  virtual void close() = 0;
};

struct DeviceChange {
  std::uint32_t seat = kNoDevice;
  std::uint32_t id = 0;  // the driver's number of the device
  bool taken = false;    // by the driver; false: it let go of it
};

// The driver taking and leaving devices, waited for in its own thread.
class DeviceChangeStream {
 public:
  virtual ~DeviceChangeStream() = default;
  virtual Answer open() = 0;
  // Up to kEventWaitMs; kTimeout where none came.
  virtual Answer wait(std::vector<DeviceChange>& changes) = 0;
  virtual void close() = 0;
};

// A compute process, and the GPU instance that it is on where the device is split and the driver says so.
struct ComputeProcess {
  unsigned pid = 0;
  std::optional<unsigned> instance;
  auto operator<=>(const ComputeProcess&) const = default;
};

enum class LoadResult { kLoaded, kAbsent, kFailed };

// Used by one thread, except for the streams. Devices that it is given are those that it opened.
class Backend {
 public:
  virtual ~Backend() = default;

  // -- Its life. `library` as it is configured: a path, or a name for the loader.
  virtual LoadResult load(const std::string& library, std::string& why) = 0;
  virtual Answer start() = 0;
  // The state that a failure to start, or the driver's going away, puts the child in: "absent", "mismatch" or "failed"; and
  // what it is in words.
  virtual std::string_view state_of(Answer answer) const = 0;
  virtual std::string start_failure(Answer answer) const = 0;
  // "text (code)"; usable whether or not the library is loaded.
  virtual std::string describe(Answer answer) const = 0;
  virtual std::string driver_version() = 0;
  // After this the process holds no file of a device.
  virtual void release() = 0;

  // -- Devices.
  virtual Answer count(unsigned& devices) = 0;
  virtual bool opens_by_address() const = 0;
  virtual Opening open_by_address(std::uint32_t seat, const std::string& pci) = 0;
  virtual Opening open_by_index(std::uint32_t index) = 0;
  // Name, serial, place. All of it may stay unknown.
  virtual void identify(VendorDevice& device) = 0;

  // -- Readings.
  virtual bool has_sensors() const = 0;
  // False when this device cannot be calibrated.
  virtual bool look(VendorDevice& device, SensorLook& look) = 0;
  // What is read each round.
  virtual void read_fast(VendorDevice& device) = 0;
  // What is read seldom, in short steps.
  virtual std::size_t slow_steps() const = 0;
  // False when there is more to do of this step.
  virtual bool read_slow(VendorDevice& device, std::size_t step, SlowPass pass) = 0;
  // Lists the parts that the device is split into, at once.
  virtual void list_parts(VendorDevice& device) = 0;
  // Compute processes, at most `most`; false when the driver gave none.
  virtual bool processes(VendorDevice& device, std::size_t most, std::vector<ComputeProcess>& found) = 0;
  // "works", or why the group's readings are missing; empty where nothing was asked.
  virtual std::string capability(const VendorDevice& device, Capability group) const = 0;

  // -- Events. Null where the library has none.
  virtual std::unique_ptr<DeviceEventStream> device_events(CallContext& calls, const VendorDevices& devices) = 0;
  virtual std::unique_ptr<DeviceChangeStream> device_changes(CallContext& calls, const VendorDevices& devices) = 0;
};

struct BackendParts {
  CallContext& calls;
  Reporter& reporter;
  Answers& answers;
};

// What the driver's own files are, for a child that gives up the others.
struct DriverFiles {
  std::vector<std::string> devices;
  std::vector<std::string> folders;  // to read
  std::vector<std::string> needed;   // what another user than root has to be able to read, besides the library
};

struct BackendKind {
  std::string_view name;
  // Whether a library of this file name is this vendor's.
  bool (*takes)(std::string_view file_name);
  DriverFiles (*files)(const std::string& library);
  std::unique_ptr<Backend> (*make)(const BackendParts& parts);
};

// By the library's file name; the first vendor of backends.def where no name says.
const BackendKind& backend_of(const std::string& library);

}  // namespace faultline
