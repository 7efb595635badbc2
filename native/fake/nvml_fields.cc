// The batched fields: what was scripted, else a healthy GPU of its architecture; counters stand still unless scripted.
#include "fake/exports.h"
#include "fake/fields.h"
#include "vendor/nvml/fields.h"

namespace faultline::fake {
namespace {

struct Row {
  unsigned id;
  double value;
  Architecture since;
  Architecture until = Architecture::kBlackwell;
};

constexpr Row kRows[]{
    {nvml::kFieldEccCorrected, 0, Architecture::kVolta},
    {nvml::kFieldEccUncorrected, 0, Architecture::kVolta},
    {nvml::kFieldEccCorrectedLifetime, 0, Architecture::kVolta},
    {nvml::kFieldEccUncorrectedLifetime, 0, Architecture::kVolta},
    {nvml::kFieldRetiredPagesSbe, 0, Architecture::kVolta, Architecture::kVolta},
    {nvml::kFieldRetiredPagesDbe, 0, Architecture::kVolta, Architecture::kVolta},
    {nvml::kFieldRetiredPagesPending, 0, Architecture::kVolta, Architecture::kVolta},
    {nvml::kFieldViolationThermal, 0, Architecture::kVolta},
    {nvml::kFieldViolationSyncBoost, 0, Architecture::kVolta},
    {nvml::kFieldViolationBoardLimit, 0, Architecture::kVolta},
    {nvml::kFieldViolationLowUtilization, 0, Architecture::kVolta},
    {nvml::kFieldViolationReliability, 0, Architecture::kVolta},
    {nvml::kFieldViolationAppClocks, 0, Architecture::kVolta},
    {nvml::kFieldViolationBaseClocks, 0, Architecture::kVolta},
    {nvml::kFieldMemoryTemperature, 48, Architecture::kVolta},
    {nvml::kFieldPcieReplays, 0, Architecture::kVolta},
    {nvml::kFieldRemapCorrected, 0, Architecture::kAmpere},
    {nvml::kFieldRemapUncorrected, 0, Architecture::kAmpere},
    {nvml::kFieldRemapPending, 0, Architecture::kAmpere},
    {nvml::kFieldRemapFailed, 0, Architecture::kAmpere},
    {nvml::kFieldPcieRecoveries, 0, Architecture::kHopper},
    {nvml::kFieldPcieCorrectable, 0, Architecture::kHopper},
    {nvml::kFieldPcieNaksReceived, 0, Architecture::kHopper},
    {nvml::kFieldPcieReceiverErrors, 0, Architecture::kHopper},
    {nvml::kFieldPcieBadTlp, 0, Architecture::kHopper},
    {nvml::kFieldPcieNaksSent, 0, Architecture::kHopper},
    {nvml::kFieldPcieBadDllp, 0, Architecture::kHopper},
    {nvml::kFieldPcieNonfatal, 0, Architecture::kHopper},
    {nvml::kFieldPcieFatal, 0, Architecture::kHopper},
    {nvml::kFieldPcieUnsupported, 0, Architecture::kHopper},
    {nvml::kFieldPcieLcrcErrors, 0, Architecture::kHopper},
    {nvml::kFieldPcieLaneErrors, 0, Architecture::kHopper},
    {nvml::kFieldPcieTx, 1e9, Architecture::kHopper},
    {nvml::kFieldPcieRx, 2e9, Architecture::kHopper},
    {nvml::kFieldPowerLimitMin, 200'000, Architecture::kVolta},
    {nvml::kFieldPowerLimitMax, 700'000, Architecture::kVolta},
    {nvml::kFieldPowerLimitDefault, 700'000, Architecture::kVolta},
    {nvml::kFieldPowerLimitRequested, 700'000, Architecture::kVolta},
    {nvml::kFieldMarginShutdown, -8, Architecture::kHopper},
    {nvml::kFieldMarginSlowdown, -2, Architecture::kHopper},
    {nvml::kFieldMarginMemory, 0, Architecture::kHopper},
    {nvml::kFieldMarginGpu, 0, Architecture::kHopper},
    {nvml::kFieldRecoveryAction, 0, Architecture::kAmpere},
    {nvml::kFieldResetRequired, 0, Architecture::kAmpere},
    {nvml::kFieldDrainResetRequired, 0, Architecture::kAmpere},
    {nvml::kFieldRemapCorrectedInactive, 0, Architecture::kHopper},
    {nvml::kFieldRemapUncorrectedInactive, 0, Architecture::kHopper},
};

// Power smoothing, by its id in the newest numbering.
constexpr Row kSmoothingRows[]{
    {nvml::kFieldPowerSmoothing, 0, Architecture::kBlackwell},
    {nvml::kFieldPowerSmoothingCeiling, 1000, Architecture::kBlackwell},
    {nvml::kFieldPowerSmoothingFloor, 400, Architecture::kBlackwell},
    {nvml::kFieldPowerSmoothingLifetime, 100, Architecture::kBlackwell},
    {nvml::kFieldPowerSmoothingProfile, 0, Architecture::kBlackwell},
    // What the numbers of the slowdown times are on drivers that number otherwise: percent, and milliwatts a second.
    {264, 30, Architecture::kHopper},
    {265, 40, Architecture::kHopper},
    {266, 50'000, Architecture::kHopper},
};

constexpr Row kLinkRows[]{
    {nvml::kFieldNvlinkTx, 1 << 20, Architecture::kAmpere},
    {nvml::kFieldNvlinkRx, 1 << 20, Architecture::kAmpere},
    {nvml::kFieldNvlinkReplays, 0, Architecture::kHopper, Architecture::kHopper},
    {nvml::kFieldNvlinkRecoveriesOld, 0, Architecture::kHopper, Architecture::kHopper},
    {nvml::kFieldNvlinkCrcErrors, 0, Architecture::kHopper, Architecture::kHopper},
    {nvml::kFieldNvlinkBytesTx, 1ULL << 30, Architecture::kBlackwell},
    {nvml::kFieldNvlinkBytesRx, 1ULL << 30, Architecture::kBlackwell},
    {nvml::kFieldNvlinkMalformed, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkBufferOverruns, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkReceiveErrors, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkIntegrityErrors, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkRecoveriesFailed, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkRecoveries, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkEffectiveErrors, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkSymbolErrors, 0, Architecture::kBlackwell},
    {nvml::kFieldNvlinkSymbolBer, 0xfff, Architecture::kBlackwell},
    {nvml::kFieldNvlinkEffectiveBer, 0xfff, Architecture::kBlackwell},
};

void put(nvml::FieldValue& field, unsigned long long count) {
  field.nvmlReturn = nvml::kSuccess;
  field.valueType = nvml::kValueUnsignedLongLong;
  field.value.ullVal = count;
}

void put(nvml::FieldValue& field, double value) {
  if (value >= 0) return put(field, static_cast<unsigned long long>(value));
  field.nvmlReturn = nvml::kSuccess;
  field.valueType = nvml::kValueSigned;
  field.value.siVal = static_cast<int>(value);
}

void put(nvml::FieldValue& field, const FieldScript& script) {
  field.nvmlReturn = script.error;
  field.valueType = script.type;
  if (script.bits) field.value.ullVal = *script.bits;
  else if (script.type == nvml::kValueDouble) field.value.dVal = script.value;
  else field.value.sllVal = static_cast<long long>(script.value);
}

template <std::size_t N>
bool put(nvml::FieldValue& field, const Row (&rows)[N], unsigned id, Architecture architecture) {
  for (const Row& row : rows) {
    if (row.id != id || architecture < row.since || architecture > row.until) continue;
    put(field, row.value);
    return true;
  }
  return false;
}

bool put_by_counters(nvml::FieldValue& field, const Gpu& gpu, const Counters& counters, FieldMeaning meaning) {
  switch (meaning) {
    case FieldMeaning::kTimeSwThermal:
      put(field, counters.sw_thermal_ns);
      return true;
    case FieldMeaning::kTimeHwThermal:
      put(field, counters.hw_thermal_ns);
      return true;
    case FieldMeaning::kTimePowerBrake:
      put(field, counters.power_brake_ns);
      return true;
    default:
      break;
  }
  switch (field.fieldId) {
    case nvml::kFieldPower:
      field.nvmlReturn = nvml::kSuccess;
      field.valueType = nvml::kValueUnsigned;
      field.value.uiVal = gpu.power_mw;
      return true;
    case nvml::kFieldEnergy:
      put(field, energy_of(gpu, counters));
      return true;
    case nvml::kFieldTimePowerCap:
      put(field, counters.power_cap_ns);
      return true;
    case nvml::kFieldNvlinks:
      put(field, 1ULL * links_of(gpu));
      return true;
    default:
      return false;
  }
}

bool put_of_link(nvml::FieldValue& field, const Gpu& gpu) {
  if (field.scopeId != nvml::kAllLinks && field.scopeId >= links_of(gpu)) return false;
  if (field.fieldId == nvml::kFieldNvlinkState) {
    put(field, 1ULL * (link_is_up(gpu, field.scopeId) ? nvml::kLinkUp : nvml::kLinkDown));
    return true;
  }
  if (field.fieldId >= nvml::kFieldLinkFec && field.fieldId < nvml::kFieldLinkFec + nvml::kLinkFecBins) {
    if (gpu.architecture < Architecture::kBlackwell) return false;
    put(field, field.fieldId == nvml::kFieldLinkFec ? 1ULL << 40 : 0ULL);
    return true;
  }
  return put(field, kLinkRows, field.fieldId, gpu.architecture);
}

}  // namespace

unsigned long long energy_of(const Gpu& gpu, const Counters& counters) {
  return gpu.energy_mj ? *gpu.energy_mj : static_cast<unsigned long long>(counters.energy_mj);
}

unsigned links_of(const Gpu& gpu) {
  if (gpu.links) return *gpu.links;
  return gpu.architecture == Architecture::kVolta ? 6 : gpu.architecture == Architecture::kAmpere ? 12 : 18;
}

bool link_is_up(const Gpu& gpu, unsigned link) {
  return link < links_of(gpu) && (link >= 32 || (gpu.links_down >> link & 1) == 0);
}

void answer(nvml::FieldValue& field, const Gpu& gpu, const Counters& counters, int branch, std::string_view driver) {
  field.latencyUsec = 1;
  field.nvmlReturn = nvml::kInvalidArgument;
  const FieldNumber number = field_of(branch, driver, field.fieldId);
  if (number.meaning == FieldMeaning::kUnknown) return;
  field.nvmlReturn = nvml::kNotSupported;
  const auto scripted = gpu.fields.find(std::uint64_t{field.fieldId} << 32 | field.scopeId);
  if (scripted != gpu.fields.end()) return put(field, scripted->second);
  if (number.meaning == FieldMeaning::kSmoothing) {
    put(field, kSmoothingRows, number.id, gpu.architecture);
    return;
  }
  if (put_by_counters(field, gpu, counters, number.meaning)) return;
  if (!put(field, kRows, field.fieldId, gpu.architecture)) put_of_link(field, gpu);
}

}  // namespace faultline::fake

using namespace faultline;

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetFieldValues(nvml::Device device, int count, nvml::FieldValue* values) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = fake::begin("nvmlDeviceGetFieldValues", device, gpu, counters);
  if (error != 0) return error;
  if (count <= 0 || values == nullptr) return nvml::kInvalidArgument;
  const std::string driver = fake::World::instance().driver();
  for (int i = 0; i < count; ++i) fake::answer(values[i], gpu, counters, fake::branch_of(driver), driver);
  return nvml::kSuccess;
}
