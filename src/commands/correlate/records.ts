// Records: what PowerTrace's three files hold, in its own terms.

export const SOURCES = [
  'aws_health', 'azure_resource_health', 'gcp_instance_health', 'nvml', 'rapl', 'pdu_snmp', 'redfish', 'poe_snmp', 'ups',
] as const; // biome-ignore format: one list
export const TYPES = [
  'host_degradation', 'thermal_throttle', 'power_cap_applied', 'voltage_sag', 'psu_failover', 'cpu_power_cap',
  'port_power_exceeded', 'ups_transfer', 'breaker_trip',
] as const; // biome-ignore format: one list
/** From the least on. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;

export type DeviceSource = (typeof SOURCES)[number];
export type DeviceEventType = (typeof TYPES)[number];
export type DeviceSeverity = (typeof SEVERITIES)[number];

export interface DeviceEvent {
  readonly id: string;
  /** Seconds since 1970, to the microsecond. */
  readonly at: number;
  readonly source: DeviceSource;
  readonly type: DeviceEventType;
  readonly severity: DeviceSeverity;
  readonly device: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** One reading of a service; any figure may be NaN. */
export interface ServicePoint {
  readonly service: string;
  /** Seconds since 1970, to the microsecond. */
  readonly at: number;
  /** ms; the first two are only used by our own engine. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** percent */
  readonly errorRate: number;
  /** requests a second */
  readonly throughput: number;
  /** Where it was read, as the file names the node. */
  readonly node: string | null;
}

/** One request to a service. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly service: string;
  readonly operation: string;
  /** Seconds since 1970, to the microsecond. */
  readonly at: number;
  readonly durationMs: number;
  readonly failed: boolean;
  /** Of its attributes: the node and the GPU that served it. */
  readonly node: string | null;
  readonly gpu: string | null;
}

/** The readings of one service in order of time, those of one time as the file has them; a place is the same reading in each column. */
export interface ServiceSeries {
  readonly service: string;
  readonly at: Float64Array;
  readonly p50: Float64Array;
  readonly p95: Float64Array;
  readonly p99: Float64Array;
  readonly errorRate: Float64Array;
  readonly throughput: Float64Array;
  readonly node: readonly (string | null)[];
}

export interface Mapping {
  readonly device: string;
  readonly instance: string | null;
  readonly node: string | null;
  readonly gpus: readonly string[];
  readonly services: readonly string[];
  /** Null where the file says nothing, which leaves what an earlier mapping of the device said. */
  readonly feeds: readonly string[] | null;
  readonly parent: string | null;
  readonly gpuUuid: string | null;
  readonly rack: string | null;
  readonly assetTag: string | null;
  readonly address: string | null;
}

export interface Records {
  readonly events: readonly DeviceEvent[];
  readonly services: readonly ServiceSeries[];
  readonly mappings: readonly Mapping[];
  /** Only our own engine uses them. */
  readonly spans: readonly Span[];
}
