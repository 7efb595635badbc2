// GPU performance monitoring of one GPU: two samples in turn.
#include "vendor/nvml/gpm.h"

#include <span>
#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kClosestNs = 100'000'000;  // nvml.h: samples have to be more than 100 ms apart
constexpr double kPercent = 1e-2, kMebibytes = 1024.0 * 1024.0;

struct Metric {
  unsigned id;
  Quantity quantity;
  double scale;
};
constexpr Metric kMetrics[]{
    {nvml::kGpmSmUtilization, Quantity::kSmUtilization, kPercent},
    {nvml::kGpmSmOccupancy, Quantity::kSmOccupancy, kPercent},
    {nvml::kGpmTensorUtilization, Quantity::kTensorUtilization, kPercent},
    {nvml::kGpmDramUtilization, Quantity::kDramUtilization, kPercent},
    {nvml::kGpmPcieTx, Quantity::kGpmPcieTx, kMebibytes},
    {nvml::kGpmPcieRx, Quantity::kGpmPcieRx, kMebibytes},
    {nvml::kGpmNvlinkTx, Quantity::kGpmNvlinkTx, kMebibytes},
    {nvml::kGpmNvlinkRx, Quantity::kGpmNvlinkRx, kMebibytes},
};
// PCIe and NVLink are the whole GPU's.
constexpr std::size_t kMetricsOfInstance = 4;
static_assert(kMetrics[kMetricsOfInstance].quantity == Quantity::kGpmPcieTx);

// An instance that is gone says nothing about the others.
constexpr bool is_gone(nvml::Return code) { return code == nvml::kInvalidArgument || code == nvml::kNotFound; }

}  // namespace

Gpm::Gpm(Gpm&& other) noexcept
    : asker_(other.asker_), gpu_(other.gpu_), instance_(other.instance_), before_(std::exchange(other.before_, nullptr)),
      now_(std::exchange(other.now_, nullptr)), before_ns_(other.before_ns_) {}

Gpm::~Gpm() {
  for (const nvml::GpmSample sample : {before_, now_}) {
    if (sample != nullptr && !asker_->dead()) {
      asker_->call_plain(*gpu_, VendorCall::kGpmSampleFree, asker_->nvml.gpm_sample_free, sample);
    }
  }
}

bool Gpm::prepare() {
  if (now_ != nullptr) return true;
  nvml::GpmSupport support{nvml::kGpmSupportVersion, 0};
  if (!asker_->ask(*gpu_, kReadGpmSupport, VendorCall::kGpmSupport, asker_->nvml.gpm_support, &support)) return false;
  if (support.isSupportedDevice == 0) {
    gpu_->codes[kReadGpmSupport] = nvml::kNotSupported;
    return false;
  }
  for (nvml::GpmSample* sample : {&before_, &now_}) {
    if (*sample != nullptr) continue;
    const nvml::Return result =
        asker_->call_plain(*gpu_, VendorCall::kGpmSampleAlloc, asker_->nvml.gpm_sample_alloc, sample);
    if (!asker_->accept(*gpu_, kReadGpmSample, VendorCall::kGpmSampleAlloc, result)) return false;
  }
  return true;
}

bool Gpm::take() {
  const NvmlLibrary& nvml = asker_->nvml;
  if (instance_ == nvml::kNoInstance) {
    return asker_->ask(*gpu_, kReadGpmSample, VendorCall::kGpmSampleGet, nvml.gpm_sample_get, now_);
  }
  if (!asker_->wanted(*gpu_, kReadInstanceGpm)) return false;
  const nvml::Return result =
      asker_->call_plain(*gpu_, VendorCall::kGpmMigSampleGet, nvml.gpm_mig_sample_get, gpu_->handle, instance_, now_);
  if (is_gone(result)) return false;
  return asker_->accept(*gpu_, kReadInstanceGpm, VendorCall::kGpmMigSampleGet, result);
}

void Gpm::metrics() {
  const std::span wanted(&kMetrics[0], instance_ == nvml::kNoInstance ? std::size(kMetrics) : kMetricsOfInstance);
  const auto metrics = std::make_unique<nvml::GpmMetrics>();  // 20 KiB: the child's stacks are small
  metrics->version = nvml::kGpmMetricsVersion;
  metrics->numMetrics = static_cast<unsigned>(wanted.size());
  metrics->sample1 = before_;
  metrics->sample2 = now_;
  for (std::size_t i = 0; i < wanted.size(); ++i) metrics->metrics[i].metricId = wanted[i].id;
  const nvml::Return result =
      asker_->call_plain(*gpu_, VendorCall::kGpmMetricsGet, asker_->nvml.gpm_metrics_get, metrics.get());
  if (instance_ != nvml::kNoInstance && is_gone(result)) return;
  if (!asker_->accept(*gpu_, kReadGpmMetrics, VendorCall::kGpmMetricsGet, result)) return;
  const std::uint32_t part = instance_ == nvml::kNoInstance ? kNoLink : kFirstInstance + instance_;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const nvml::GpmMetric& metric = metrics->metrics[i];
    if (metric.nvmlReturn == nvml::kSuccess) asker_->put(*gpu_, wanted[i].quantity, metric.value * wanted[i].scale, part);
  }
}

void Gpm::read() {
  if (!asker_->wanted(*gpu_, kReadGpmSupport) || !prepare()) return;
  if (!take()) {
    before_ns_ = 0;
    return;
  }
  const std::int64_t taken_ns = monotonic_now();
  if (before_ns_ != 0 && taken_ns - before_ns_ > kClosestNs && asker_->wanted(*gpu_, kReadGpmMetrics)) metrics();
  std::swap(before_, now_);
  before_ns_ = taken_ns;
}

}  // namespace faultline
