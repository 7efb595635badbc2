// GPU performance monitoring of one GPU: two samples in turn.
#include "vendor/gpm.h"

#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kClosestNs = 100'000'000;  // nvml.h: samples have to be more than 100 ms apart
constexpr double kPercent = 1e-2, kMebibytes = 1024.0 * 1024.0;

constexpr struct {
  unsigned id;
  Quantity quantity;
  double scale;
} kMetrics[]{
    {nvml::kGpmSmUtilization, Quantity::kSmUtilization, kPercent},
    {nvml::kGpmSmOccupancy, Quantity::kSmOccupancy, kPercent},
    {nvml::kGpmTensorUtilization, Quantity::kTensorUtilization, kPercent},
    {nvml::kGpmDramUtilization, Quantity::kDramUtilization, kPercent},
    {nvml::kGpmPcieTx, Quantity::kGpmPcieTx, kMebibytes},
    {nvml::kGpmPcieRx, Quantity::kGpmPcieRx, kMebibytes},
    {nvml::kGpmNvlinkTx, Quantity::kGpmNvlinkTx, kMebibytes},
    {nvml::kGpmNvlinkRx, Quantity::kGpmNvlinkRx, kMebibytes},
};

}  // namespace

Gpm::Gpm(Gpm&& other) noexcept
    : asker_(other.asker_), gpu_(other.gpu_), before_(std::exchange(other.before_, nullptr)),
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

void Gpm::read() {
  if (!asker_->wanted(*gpu_, kReadGpmSupport) || !prepare()) return;
  if (!asker_->ask(*gpu_, kReadGpmSample, VendorCall::kGpmSampleGet, asker_->nvml.gpm_sample_get, now_)) {
    before_ns_ = 0;
    return;
  }
  const std::int64_t taken_ns = monotonic_now();
  if (before_ns_ != 0 && taken_ns - before_ns_ > kClosestNs && asker_->wanted(*gpu_, kReadGpmMetrics)) {
    const auto metrics = std::make_unique<nvml::GpmMetrics>();  // 20 KiB: the child's stacks are small
    metrics->version = nvml::kGpmMetricsVersion;
    metrics->numMetrics = std::size(kMetrics);
    metrics->sample1 = before_;
    metrics->sample2 = now_;
    for (std::size_t i = 0; i < std::size(kMetrics); ++i) metrics->metrics[i].metricId = kMetrics[i].id;
    const nvml::Return result =
        asker_->call_plain(*gpu_, VendorCall::kGpmMetricsGet, asker_->nvml.gpm_metrics_get, metrics.get());
    if (asker_->accept(*gpu_, kReadGpmMetrics, VendorCall::kGpmMetricsGet, result)) {
      for (std::size_t i = 0; i < std::size(kMetrics); ++i) {
        const nvml::GpmMetric& metric = metrics->metrics[i];
        if (metric.nvmlReturn == nvml::kSuccess) asker_->put(*gpu_, kMetrics[i].quantity, metric.value * kMetrics[i].scale);
      }
    }
  }
  std::swap(before_, now_);
  before_ns_ = taken_ns;
}

}  // namespace faultline
