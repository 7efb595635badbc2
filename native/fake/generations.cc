// Tables from NVML's headers of CUDA 11.4 to 13.0: in which one each symbol and field turned up.
#include "fake/generations.h"

#include <charconv>

#include "vendor/nvml/fields.h"

namespace faultline::fake {
namespace {

constexpr struct {
  std::string_view symbol;
  int since;  // driver branch
} kSymbols[]{
    {"nvmlDeviceGetMarginTemperature", 570},
    {"nvmlDeviceGetTemperatureV", 570},
    {"nvmlDeviceGetSramEccErrorStatus", 535},
    {"nvmlDeviceGetGpuFabricInfo", 535},
    {"nvmlDeviceGetGpuFabricInfoV", 550},
    {"nvmlGpmQueryDeviceSupport", 520},
    {"nvmlGpmSampleAlloc", 520},
    {"nvmlGpmSampleFree", 520},
    {"nvmlGpmSampleGet", 520},
    {"nvmlGpmMetricsGet", 520},
    {"nvmlGpmMigSampleGet", 525},
    {"nvmlDeviceGetNumaNodeId", 550},
    {"nvmlDeviceGetModuleId", 535},
    {"nvmlDeviceGetMemoryInfo_v2", 510},
    {"nvmlDeviceGetComputeRunningProcesses_v3", 510},
    {"nvmlDeviceGetCurrentClocksEventReasons", 535},
    {"nvmlSystemEventSetCreate", 575},
    {"nvmlSystemRegisterEvents", 575},
    {"nvmlSystemEventSetWait", 575},
    {"nvmlSystemEventSetFree", 575},
};

int minor_of(std::string_view driver) {
  const std::size_t dot = driver.find('.');
  int minor = 0;
  if (dot != std::string_view::npos) std::from_chars(driver.data() + dot + 1, driver.data() + driver.size(), minor);
  return minor;
}

}  // namespace

int branch_of(std::string_view driver) {
  int branch = 0;
  std::from_chars(driver.data(), driver.data() + driver.size(), branch);
  return branch;
}

std::string_view driver_of(int branch) {
  switch (branch) {
    case 470:
      return "470.256.02";
    case 535:
      return "535.183.06";
    case 550:
      return "550.127.08";
    case 575:
      return "575.57.08";
    case 580:
      return "580.95.05";
    default:
      return "570.86.10";
  }
}

unsigned field_end(int branch) {
  if (branch < 520) return 161;
  if (branch < 525) return 167;
  if (branch < 550) return 197;
  if (branch < 560) return 200;
  if (branch < 575) return 269;
  if (branch < 590) return 274;
  if (branch < 595) return 289;
  if (branch < 610) return 296;
  return branch < 615 ? 303 : 308;
}

bool has_symbol(int branch, std::string_view symbol) {
  for (const auto& each : kSymbols) {
    if (each.symbol == symbol) return branch >= each.since;
  }
  return true;
}

FieldNumber field_of(int branch, std::string_view driver, unsigned id) {
  if (id == 0 || id >= field_end(branch)) return {FieldMeaning::kUnknown, id};
  const bool renumbered = branch == 575 || (branch == 580 && minor_of(driver) < 95);
  constexpr FieldMeaning kTimes[]{FieldMeaning::kTimeSwThermal, FieldMeaning::kTimeHwThermal, FieldMeaning::kTimePowerBrake};
  if (renumbered && id >= 251) {
    if (id <= 253) return {kTimes[id - 251], id + 18};
    if (id <= 255) return {FieldMeaning::kPlain, id + 18};
    return {FieldMeaning::kSmoothing, id - 5};
  }
  if (id >= 269 && id <= 271) return {kTimes[id - 269], id};
  return {id >= 251 && id <= 268 ? FieldMeaning::kSmoothing : FieldMeaning::kPlain, id};
}

Architecture architecture_of(std::string_view name) {
  if (name == "volta") return Architecture::kVolta;
  if (name == "ampere") return Architecture::kAmpere;
  return name == "blackwell" ? Architecture::kBlackwell : Architecture::kHopper;
}

}  // namespace faultline::fake
