// GPU performance monitoring of one GPU: two samples in turn.
#include "vendor/nvml/gpm.h"

#include <span>
#include <utility>

namespace faultline::nvml {
namespace {

constexpr std::int64_t kClosestNs = 100'000'000;  // nvml.h: samples have to be more than 100 ms apart
constexpr double kMebibytes = 1024.0 * 1024.0;

struct Metric {
  unsigned id;
  Quantity quantity;
  double scale;
};
constexpr Metric kMetrics[]{
#define NVML_GPM(id, name, unit, of, metric, header, scale) {metric, Quantity::k##id, scale},
#include "vendor/nvml/readings.def"
};
// PCIe and NVLink are the whole GPU's: those of an instance come first.
constexpr std::size_t kMetricsOfInstance = [] {
  std::size_t count = 0;
  while (count < std::size(kMetrics) && is_of_instance(kMetrics[count].quantity)) ++count;
  return count;
}();

// An instance that is gone says nothing about the others.
constexpr bool is_gone(Return code) { return code == kInvalidArgument || code == kNotFound; }

}  // namespace

Gpm::Gpm(Gpm&& other) noexcept
    : asker_(other.asker_), gpu_(other.gpu_), instance_(other.instance_), before_(std::exchange(other.before_, nullptr)),
      now_(std::exchange(other.now_, nullptr)), before_ns_(other.before_ns_) {}

Gpm::~Gpm() {
  for (const GpmSample sample : {before_, now_}) {
    if (sample != nullptr && !asker_->answers.dead()) {
      asker_->call_plain(*gpu_, VendorCall::kGpmSampleFree, asker_->nvml.gpm_sample_free, sample);
    }
  }
}

bool Gpm::prepare() {
  if (now_ != nullptr) return true;
  GpmSupport support{kGpmSupportVersion, 0};
  if (!asker_->ask(*gpu_, kReadGpmSupport, VendorCall::kGpmSupport, asker_->nvml.gpm_support, &support)) return false;
  if (support.isSupportedDevice == 0) {
    gpu_->codes[kReadGpmSupport] = kNotSupported;
    return false;
  }
  for (GpmSample* sample : {&before_, &now_}) {
    if (*sample != nullptr) continue;
    const Return result =
        asker_->call_plain(*gpu_, VendorCall::kGpmSampleAlloc, asker_->nvml.gpm_sample_alloc, sample);
    if (!asker_->accept(*gpu_, kReadGpmSample, VendorCall::kGpmSampleAlloc, result)) return false;
  }
  return true;
}

bool Gpm::take() {
  const Library& nvml = asker_->nvml;
  if (instance_ == kNoInstance) {
    return asker_->ask(*gpu_, kReadGpmSample, VendorCall::kGpmSampleGet, nvml.gpm_sample_get, now_);
  }
  if (!asker_->wanted(*gpu_, kReadInstanceGpm)) return false;
  const Return result =
      asker_->call_plain(*gpu_, VendorCall::kGpmMigSampleGet, nvml.gpm_mig_sample_get, gpu_->handle, instance_, now_);
  if (is_gone(result)) return false;
  return asker_->accept(*gpu_, kReadInstanceGpm, VendorCall::kGpmMigSampleGet, result);
}

void Gpm::metrics() {
  const std::span wanted(&kMetrics[0], instance_ == kNoInstance ? std::size(kMetrics) : kMetricsOfInstance);
  const auto metrics = std::make_unique<GpmMetrics>();  // 20 KiB: the child's stacks are small
  metrics->version = kGpmMetricsVersion;
  metrics->numMetrics = static_cast<unsigned>(wanted.size());
  metrics->sample1 = before_;
  metrics->sample2 = now_;
  for (std::size_t i = 0; i < wanted.size(); ++i) metrics->metrics[i].metricId = wanted[i].id;
  const Return result =
      asker_->call_plain(*gpu_, VendorCall::kGpmMetricsGet, asker_->nvml.gpm_metrics_get, metrics.get());
  if (instance_ != kNoInstance && is_gone(result)) return;
  if (!asker_->accept(*gpu_, kReadGpmMetrics, VendorCall::kGpmMetricsGet, result)) return;
  const std::uint32_t part = instance_ == kNoInstance ? kNoLink : kFirstInstance + instance_;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const GpmMetric& metric = metrics->metrics[i];
    if (metric.nvmlReturn == kSuccess) asker_->answers.put(*gpu_, wanted[i].quantity, metric.value * wanted[i].scale, part);
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

}  // namespace faultline::nvml
