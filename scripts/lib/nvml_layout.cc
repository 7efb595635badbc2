// Compiles only when our structs and calls are those of the published nvml.h; scripts/check-nvml-layout runs it.
// One check a line: for an older header that script leaves out the lines whose names it does not have yet.
#include "nvml_layout.h"

SAME_SIZE(ours::Return, nvmlReturn_t);
SAME_SIZE(ours::Device, nvmlDevice_t);
SAME_SIZE(ours::EventSet, nvmlEventSet_t);

SAME_SIZE(ours::PciInfo, nvmlPciInfo_t);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, busIdLegacy);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, domain);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, bus);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, device);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, pciDeviceId);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, pciSubSystemId);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, busId);

SAME_SIZE(ours::Utilization, nvmlUtilization_t);
SAME_MEMBER(ours::Utilization, nvmlUtilization_t, gpu);
SAME_MEMBER(ours::Utilization, nvmlUtilization_t, memory);

SAME_SIZE(ours::Value, nvmlValue_t);
SAME_MEMBER(ours::Value, nvmlValue_t, dVal);
SAME_MEMBER(ours::Value, nvmlValue_t, siVal);
SAME_MEMBER(ours::Value, nvmlValue_t, uiVal);
SAME_MEMBER(ours::Value, nvmlValue_t, ulVal);
SAME_MEMBER(ours::Value, nvmlValue_t, ullVal);
SAME_MEMBER(ours::Value, nvmlValue_t, sllVal);
SAME_MEMBER(ours::Value, nvmlValue_t, usVal);
SAME_VALUE(ours::kValueDouble, NVML_VALUE_TYPE_DOUBLE);
SAME_VALUE(ours::kValueUnsigned, NVML_VALUE_TYPE_UNSIGNED_INT);
SAME_VALUE(ours::kValueUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
SAME_VALUE(ours::kValueUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
SAME_VALUE(ours::kValueSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
SAME_VALUE(ours::kValueSigned, NVML_VALUE_TYPE_SIGNED_INT);
SAME_VALUE(ours::kValueUnsignedShort, NVML_VALUE_TYPE_UNSIGNED_SHORT);

SAME_SIZE(ours::FieldValue, nvmlFieldValue_t);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, fieldId);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, scopeId);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, timestamp);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, latencyUsec);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, valueType);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, nvmlReturn);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, value);

SAME_SIZE(ours::Temperature, nvmlTemperature_t);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, version);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, sensorType);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, temperature);
SAME_VALUE(ours::kTemperatureVersion, nvmlTemperature_v1);

SAME_SIZE(ours::MarginTemperature, nvmlMarginTemperature_v1_t);
SAME_MEMBER(ours::MarginTemperature, nvmlMarginTemperature_v1_t, version);
SAME_MEMBER(ours::MarginTemperature, nvmlMarginTemperature_v1_t, marginTemperature);
SAME_VALUE(ours::kMarginTemperatureVersion, nvmlMarginTemperature_v1);

SAME_SIZE(ours::Memory, nvmlMemory_t);
SAME_MEMBER(ours::Memory, nvmlMemory_t, total);
SAME_MEMBER(ours::Memory, nvmlMemory_t, free);
SAME_MEMBER(ours::Memory, nvmlMemory_t, used);

SAME_SIZE(ours::MemoryV2, nvmlMemory_v2_t);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, version);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, total);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, reserved);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, free);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, used);
SAME_VALUE(ours::kMemoryV2Version, nvmlMemory_v2);

SAME_SIZE(ours::SramErrors, nvmlEccSramErrorStatus_v1_t);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, version);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncParity);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncSecDed);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateCor);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileUncParity);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileUncSecDed);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileCor);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketL2);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketSm);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketPcie);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketMcu);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketOther);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, bThresholdExceeded);
SAME_VALUE(ours::kSramErrorsVersion, nvmlEccSramErrorStatus_v1);

SAME_SIZE(ours::FabricInfo, nvmlGpuFabricInfo_t);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, clusterUuid);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, status);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, cliqueId);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, state);

SAME_SIZE(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, version);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, clusterUuid);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, status);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, cliqueId);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, state);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, healthMask);
SAME_VALUE(ours::kFabricInfoV2Version, nvmlGpuFabricInfo_v2);

SAME_SIZE(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, version);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, clusterUuid);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, status);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, cliqueId);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, state);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, healthMask);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, healthSummary);
SAME_VALUE(ours::kFabricInfoV3Version, nvmlGpuFabricInfo_v3);

SAME_SIZE(ours::ProcessInfo, nvmlProcessInfo_t);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, pid);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, computeInstanceId);

SAME_SIZE(ours::GpmSupport, nvmlGpmSupport_t);
SAME_MEMBER(ours::GpmSupport, nvmlGpmSupport_t, version);
SAME_MEMBER(ours::GpmSupport, nvmlGpmSupport_t, isSupportedDevice);
SAME_VALUE(ours::kGpmSupportVersion, NVML_GPM_SUPPORT_VERSION);

SAME_SIZE(ours::GpmMetric, nvmlGpmMetric_t);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, metricId);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, nvmlReturn);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, value);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, metricInfo);

SAME_SIZE(ours::GpmSample, nvmlGpmSample_t);
SAME_VALUE(ours::kGpmMetricsVersion, NVML_GPM_METRICS_GET_VERSION);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, version);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, numMetrics);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, sample1);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, sample2);
// The array is longer than any library's.
SAME_OFFSET_AND_AT_LEAST(ours::GpmMetrics, nvmlGpmMetricsGet_t, metrics);

SAME_SIZE(ours::EventData, nvmlEventData_t);
SAME_MEMBER(ours::EventData, nvmlEventData_t, device);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventType);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventData);
SAME_MEMBER(ours::EventData, nvmlEventData_t, gpuInstanceId);
SAME_MEMBER(ours::EventData, nvmlEventData_t, computeInstanceId);

SAME_SIZE(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetCreate>, nvmlSystemEventSetCreateRequest_v1);

SAME_SIZE(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetFree>, nvmlSystemEventSetFreeRequest_v1);

SAME_SIZE(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, version);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, eventTypes);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemRegisterEvents>, nvmlSystemRegisterEventRequest_v1);

SAME_SIZE(ours::SystemEventData, nvmlSystemEventData_v1_t);
SAME_MEMBER(ours::SystemEventData, nvmlSystemEventData_v1_t, eventType);
SAME_MEMBER(ours::SystemEventData, nvmlSystemEventData_v1_t, gpuId);

SAME_SIZE(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, timeoutms);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, set);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, data);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, dataSize);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, numEvent);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetWait>, nvmlSystemEventSetWaitRequest_v1);
SAME_VALUE(ours::kSystemEventDriverUnbind, nvmlSystemEventTypeGpuDriverUnbind);
SAME_VALUE(ours::kSystemEventDriverBind, nvmlSystemEventTypeGpuDriverBind);

SAME_CALL(init, nvmlInit_v2);
SAME_CALL(shutdown, nvmlShutdown);
SAME_CALL(error_string, nvmlErrorString);
SAME_CALL(driver_version, nvmlSystemGetDriverVersion);
SAME_CALL(count, nvmlDeviceGetCount_v2);
SAME_CALL(handle_by_index, nvmlDeviceGetHandleByIndex_v2);
SAME_CALL(handle_by_pci, nvmlDeviceGetHandleByPciBusId_v2);
SAME_CALL(index, nvmlDeviceGetIndex);
SAME_CALL(uuid, nvmlDeviceGetUUID);
SAME_CALL(name, nvmlDeviceGetName);
SAME_CALL(serial, nvmlDeviceGetSerial);
SAME_CALL(pci_info, nvmlDeviceGetPciInfo_v3);
SAME_CALL(minor_number, nvmlDeviceGetMinorNumber);
SAME_CALL(field_values, nvmlDeviceGetFieldValues);
SAME_CALL(event_reasons, nvmlDeviceGetCurrentClocksEventReasons);
SAME_CALL(event_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
SAME_CALL(temperature_v, nvmlDeviceGetTemperatureV);
SAME_CALL(temperature, nvmlDeviceGetTemperature);
SAME_CALL(temperature_threshold, nvmlDeviceGetTemperatureThreshold);
SAME_CALL(clock_info, nvmlDeviceGetClockInfo);
SAME_CALL(enforced_power_limit, nvmlDeviceGetEnforcedPowerLimit);
SAME_CALL(enforced_power_limit, nvmlDeviceGetPowerManagementLimit);
SAME_CALL(power_usage, nvmlDeviceGetPowerUsage);
SAME_CALL(total_energy, nvmlDeviceGetTotalEnergyConsumption);
SAME_CALL(utilization, nvmlDeviceGetUtilizationRates);
SAME_CALL(event_set_create, nvmlEventSetCreate);
SAME_CALL(supported_event_types, nvmlDeviceGetSupportedEventTypes);
SAME_CALL(register_events, nvmlDeviceRegisterEvents);
SAME_CALL(event_set_wait, nvmlEventSetWait_v2);
SAME_CALL(event_set_free, nvmlEventSetFree);
SAME_CALL(margin_temperature, nvmlDeviceGetMarginTemperature);
SAME_CALL(max_clock_info, nvmlDeviceGetMaxClockInfo);
SAME_CALL(performance_state, nvmlDeviceGetPerformanceState);
SAME_CALL(memory_info_v2, nvmlDeviceGetMemoryInfo_v2);
SAME_CALL(memory_info, nvmlDeviceGetMemoryInfo);
SAME_CALL(power_limit_requested, nvmlDeviceGetPowerManagementLimit);
SAME_CALL(power_limit_constraints, nvmlDeviceGetPowerManagementLimitConstraints);
SAME_CALL(power_limit_default, nvmlDeviceGetPowerManagementDefaultLimit);
SAME_CALL(ecc_mode, nvmlDeviceGetEccMode);
SAME_CALL(memory_error_counter, nvmlDeviceGetMemoryErrorCounter);
SAME_CALL(sram_errors, nvmlDeviceGetSramEccErrorStatus);
SAME_CALL(pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration);
SAME_CALL(pcie_width, nvmlDeviceGetCurrPcieLinkWidth);
SAME_CALL(pcie_generation_max, nvmlDeviceGetMaxPcieLinkGeneration);
SAME_CALL(pcie_width_max, nvmlDeviceGetMaxPcieLinkWidth);
SAME_CALL(pcie_replays, nvmlDeviceGetPcieReplayCounter);
SAME_CALL(link_state, nvmlDeviceGetNvLinkState);
SAME_CALL(link_error_counter, nvmlDeviceGetNvLinkErrorCounter);
SAME_CALL(fabric_info_v, nvmlDeviceGetGpuFabricInfoV);
SAME_CALL(fabric_info, nvmlDeviceGetGpuFabricInfo);
SAME_CALL(gpm_support, nvmlGpmQueryDeviceSupport);
SAME_CALL(gpm_sample_alloc, nvmlGpmSampleAlloc);
SAME_CALL(gpm_sample_free, nvmlGpmSampleFree);
SAME_CALL(gpm_sample_get, nvmlGpmSampleGet);
SAME_CALL(gpm_metrics_get, nvmlGpmMetricsGet);
SAME_CALL(gpm_mig_sample_get, nvmlGpmMigSampleGet);
SAME_CALL(row_histogram, nvmlDeviceGetRowRemapperHistogram);
SAME_SIZE(ours::RowHistogram, nvmlRowRemapperHistogramValues_t);
SAME_MEMBER(ours::RowHistogram, nvmlRowRemapperHistogramValues_t, max);
SAME_MEMBER(ours::RowHistogram, nvmlRowRemapperHistogramValues_t, high);
SAME_MEMBER(ours::RowHistogram, nvmlRowRemapperHistogramValues_t, partial);
SAME_MEMBER(ours::RowHistogram, nvmlRowRemapperHistogramValues_t, low);
SAME_MEMBER(ours::RowHistogram, nvmlRowRemapperHistogramValues_t, none);
SAME_CALL(mig_mode, nvmlDeviceGetMigMode);
SAME_CALL(max_mig_devices, nvmlDeviceGetMaxMigDeviceCount);
SAME_CALL(mig_device, nvmlDeviceGetMigDeviceHandleByIndex);
SAME_CALL(gpu_instance_id, nvmlDeviceGetGpuInstanceId);
SAME_CALL(compute_instance_id, nvmlDeviceGetComputeInstanceId);
SAME_CALL(compute_processes, nvmlDeviceGetComputeRunningProcesses_v3);
SAME_CALL(module_id, nvmlDeviceGetModuleId);
SAME_CALL(numa_node, nvmlDeviceGetNumaNodeId);
SAME_CALL(architecture, nvmlDeviceGetArchitecture);
SAME_CALL(system_event_set_create, nvmlSystemEventSetCreate);
SAME_CALL(system_register_events, nvmlSystemRegisterEvents);
SAME_CALL(system_event_set_wait, nvmlSystemEventSetWait);
SAME_CALL(system_event_set_free, nvmlSystemEventSetFree);
