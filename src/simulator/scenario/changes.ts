// The changes that a timeline can make, each at the place where real hardware would show it.

import type { Attributes, Trust } from '../../model/event.ts';
import type { Severity } from '../../model/severity.ts';
import { FACILITY_NAMES, type FacilityChanges } from './changes/facility.ts';
import { GPU_READING_NAMES, type GpuReadingChanges, type GpuSelector } from './changes/gpu-readings.ts';
import { HOST_NAMES, type HostChanges } from './changes/host.ts';
import { NETWORK_NAMES, type NetworkChanges } from './changes/network.ts';
import { REQUEST_NAMES, type RequestChanges } from './changes/requests.ts';

/**
 * NVML clocks event reasons by name; bits of nvml.h, nvmlClocksEventReason*. An asserted brake shows with the general
 * slowdown bit next to it, as the hardware does.
 */
export const GPU_REASONS = {
  idle: 0x1,
  application_clocks: 0x2,
  power_cap: 0x4,
  hw_slowdown: 0x8,
  sw_thermal_slowdown: 0x20,
  thermal_slowdown: 0x40,
  power_brake: 0x80,
} as const;
export type GpuReason = keyof typeof GPU_REASONS;

export interface InjectedEvent {
  readonly source: string;
  readonly kind: string;
  /** Text form, or `unknown` where the source does not say. */
  readonly component: string;
  readonly trust?: Trust;
  readonly severity?: Severity;
  /** The source looks this often, and tells it at its next look. */
  readonly poll?: string;
  /** It may have begun this long before. */
  readonly since?: string;
  /** The source says when it began, as far back as `since` reaches. */
  readonly begun?: boolean;
  readonly late?: string;
  /** s by which the source's clock is ahead, and how far off it knows that it may be. */
  readonly clock_ahead?: number;
  readonly clock_known?: number;
  readonly count?: number;
  readonly attributes?: Attributes;
}

/** Exactly one key is set. A length of time makes the change end by itself; without one it stays. */
export interface Change extends GpuReadingChanges, NetworkChanges, FacilityChanges, HostChanges, RequestChanges {
  readonly pdu_voltage?: { readonly pdu: string; readonly phase: number; readonly to: number };
  readonly pdu_load?: { readonly pdu: string; readonly phase: number; readonly factor: number };
  readonly pdu_silent?: { readonly pdu: string };
  /** The supply has no usable input, whatever its feed has. */
  readonly psu_input_lost?: { readonly supply: number };
  readonly psu_failed?: { readonly supply: number };
  readonly fan_failed?: { readonly fan: number };
  readonly host_power_limit?: { readonly to: number };
  readonly inlet_temperature?: { readonly to: number };
  /** It has nothing to say: `bmc_silent: {}`. */
  readonly bmc_silent?: object;
  readonly cpu_power_limit?: { readonly package: number | 'all'; readonly to: number };
  readonly gpu_reasons?: { readonly gpu: GpuSelector; readonly set: readonly GpuReason[] };
  readonly gpu_power_limit?: { readonly gpu: GpuSelector; readonly to: number };
  readonly gpu_power?: { readonly gpu: GpuSelector; readonly to: number };
  readonly gpu_clock?: { readonly gpu: GpuSelector; readonly to: number };
  readonly gpu_temperature?: { readonly gpu: GpuSelector; readonly to: number };
  readonly gpu_lost?: { readonly gpu: number | string };
  readonly gpu_hang?: { readonly gpu: number | string };
  readonly xid?: { readonly gpu: number | string; readonly number: number; readonly text?: string };
  readonly driver_call?: {
    readonly call: string;
    readonly error?: number;
    readonly delay_ms?: number;
    readonly hang?: boolean;
    readonly crash?: boolean;
  };
  readonly kernel_line?: { readonly text: string; readonly priority?: number; readonly facility?: number };
  /** With `rank` the steps of that one alone, where every rank writes. */
  readonly job_slowdown?: { readonly job: string; readonly factor: number; readonly rank?: number };
  readonly job_hang?: { readonly job: string };
  readonly job_line?: { readonly job: string; readonly text: string };
  /** The host's wall clock is set by so many seconds: what jobs stamp from then on; accuracy runs only. */
  readonly clock_step?: { readonly by: number };
  /** Its log reaches the file in one block at the end, as a full buffer does; accuracy runs only. */
  readonly job_buffered?: { readonly job: string };
  /** Requests that run and that wait, and how much longer their tokens take; accuracy runs only. */
  readonly service_load?: { readonly service: string; readonly running: number; readonly waiting?: number };
  readonly service_slowdown?: { readonly service: string; readonly factor: number };
  readonly service_line?: { readonly service: string; readonly text: string };
  /** A finished event, for sources that the rack does not simulate; accuracy runs only. With `for` it is onset and clear. */
  readonly event?: InjectedEvent;
  /** Accuracy runs only. */
  readonly source_down?: { readonly source: string };
  readonly source_late?: { readonly source: string; readonly by: string };
}

export const CHANGE_NAMES = [
  'pdu_voltage',
  'pdu_load',
  'pdu_silent',
  'psu_input_lost',
  'psu_failed',
  'fan_failed',
  'host_power_limit',
  'inlet_temperature',
  'bmc_silent',
  'cpu_power_limit',
  'gpu_reasons',
  'gpu_power_limit',
  'gpu_power',
  'gpu_clock',
  'gpu_temperature',
  'gpu_lost',
  'gpu_hang',
  'xid',
  'driver_call',
  'kernel_line',
  'job_slowdown',
  'job_hang',
  'job_line',
  'clock_step',
  'job_buffered',
  'service_load',
  'service_slowdown',
  'service_line',
  'event',
  'source_down',
  'source_late',
  ...GPU_READING_NAMES,
  ...NETWORK_NAMES,
  ...FACILITY_NAMES,
  ...HOST_NAMES,
  ...REQUEST_NAMES,
] as const satisfies readonly (keyof Change)[];
