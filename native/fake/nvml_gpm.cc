// Exports of GPU performance monitoring: a sample is a moment, and the metrics between two are what is scripted.
#include <algorithm>
#include <ctime>

#include "fake/exports.h"
#include "vendor/nvml/fields.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

struct Sample {
  int gpu = -1;
  unsigned instance = nvml::kNoInstance;
  std::int64_t taken_ns = 0;
};

Sample* sample_of(nvml::GpmSample sample) { return reinterpret_cast<Sample*>(sample); }

std::int64_t monotonic_ns_of_gpm() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

double otherwise(unsigned metric, const fake::Gpu& gpu) {
  switch (metric) {
    case nvml::kMetricSmUtilization:
      return gpu.utilization;
    case nvml::kMetricSmOccupancy:
    case nvml::kMetricTensorUtilization:
    case nvml::kMetricDramUtilization:
      return gpu.utilization / 2.0;
    default:
      return 1000;  // MiB/s
  }
}

}  // namespace

FAULTLINE_EXPORT nvml::Return nvmlGpmQueryDeviceSupport(nvml::Device device, nvml::GpmSupport* support) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlGpmQueryDeviceSupport", device, gpu, counters);
  if (error != 0) return error;
  if (support->version != nvml::kGpmSupportVersion) return nvml::kArgumentVersionMismatch;
  support->isSupportedDevice = gpu.architecture >= fake::Architecture::kHopper ? 1 : 0;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlGpmSampleAlloc(nvml::GpmSample* sample) {
  const int error = begin("nvmlGpmSampleAlloc");
  if (error == 0) *sample = reinterpret_cast<nvml::GpmSample>(new Sample);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlGpmSampleFree(nvml::GpmSample sample) {
  const int error = begin("nvmlGpmSampleFree");
  if (error == 0) delete sample_of(sample);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlGpmSampleGet(nvml::Device device, nvml::GpmSample sample) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlGpmSampleGet", device, gpu, counters);
  if (error != 0) return error;
  if (gpu.architecture < fake::Architecture::kHopper) return nvml::kNotSupported;
  *sample_of(sample) = {fake::index_of(device), nvml::kNoInstance, monotonic_ns_of_gpm()};
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlGpmMigSampleGet(nvml::Device device, unsigned instance, nvml::GpmSample sample) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlGpmMigSampleGet", device, gpu, counters);
  if (error != 0) return error;
  if (gpu.architecture < fake::Architecture::kHopper) return nvml::kNotSupported;
  const bool there = gpu.mig && std::ranges::any_of(gpu.instances, [&](const auto& each) { return each.gpu_instance == instance; });
  if (!there) return nvml::kInvalidArgument;
  *sample_of(sample) = {fake::index_of(device), instance, monotonic_ns_of_gpm()};
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlGpmMetricsGet(nvml::GpmMetrics* metrics) {
  const int error = begin("nvmlGpmMetricsGet");
  if (error != 0) return error;
  if (metrics->version != nvml::kGpmMetricsVersion) return nvml::kArgumentVersionMismatch;
  const Sample* first = sample_of(metrics->sample1);
  const Sample* second = sample_of(metrics->sample2);
  fake::Gpu gpu;
  fake::Counters counters;
  if (first == nullptr || second == nullptr || first->gpu != second->gpu || first->instance != second->instance || first->taken_ns >= second->taken_ns ||
      metrics->numMetrics > nvml::kGpmMetricSlots || !fake::World::instance().gpu(first->gpu, gpu, counters)) {
    return nvml::kInvalidArgument;
  }
  for (unsigned i = 0; i < metrics->numMetrics; ++i) {
    nvml::GpmMetric& metric = metrics->metrics[i];
    const auto& script = first->instance == nvml::kNoInstance ? gpu.gpm : gpu.instance_scripts[first->instance].gpm;
    const auto scripted = script.find(metric.metricId);
    metric.nvmlReturn = nvml::kSuccess;
    metric.value = scripted == script.end() ? otherwise(metric.metricId, gpu) : scripted->second;
  }
  return nvml::kSuccess;
}
