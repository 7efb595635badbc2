// Changes of what NVML reads of a GPU beyond power, clocks and heat: use, memory, its links; accuracy runs only.

/** Which GPUs: an index, a PCI address, several, or all of the host. */
export type GpuSelector = number | string | readonly (number | string)[];

export const NVLINK_COUNTERS = [
  'recoveries',
  'recoveries_failed',
  'replays',
  'crc_errors',
  'symbol_errors',
  'buffer_overruns',
  'integrity_errors',
] as const;
export type NvlinkCounter = (typeof NVLINK_COUNTERS)[number];

interface OnGpu {
  readonly gpu: GpuSelector;
}

export interface GpuReadingChanges {
  /** Share of time in which a kernel ran. */
  readonly gpu_utilization?: OnGpu & { readonly to: number };
  readonly gpu_memory_temperature?: OnGpu & { readonly to: number };
  /** Counters since the driver was loaded: they grow at once, or as long as the change lasts. */
  readonly gpu_ecc?: OnGpu & {
    readonly place?: 'dram' | 'sram';
    readonly corrected?: number;
    readonly uncorrected?: number;
    readonly corrected_per_second?: number;
    /** The driver's own threshold of uncorrectable SRAM errors is passed. */
    readonly threshold?: boolean;
  };
  readonly gpu_remap?: OnGpu & { readonly state: 'pending' | 'failed' | 'no_spares' };
  readonly gpu_pcie?: OnGpu & {
    readonly generation?: number;
    readonly width?: number;
    readonly replays_per_second?: number;
    readonly nonfatal?: number;
    readonly fatal?: number;
  };
  readonly gpu_nvlink?: OnGpu & {
    readonly link: number;
    readonly down?: boolean;
    readonly counter?: NvlinkCounter;
    readonly by?: number;
    readonly per_second?: number;
  };
  readonly gpu_fabric?: OnGpu & {
    readonly state?: 'not_started' | 'in_progress' | 'completed';
    readonly failed?: boolean;
    readonly degraded?: boolean;
    readonly route_unhealthy?: boolean;
  };
  readonly gpu_recovery_action?: OnGpu & { readonly action: 'reset' | 'reboot' | 'drain' | 'drain_reset' };
  /** The driver reports a reset; while it lasts it does not list the GPU. */
  readonly gpu_reset?: OnGpu;
  /** The driver does not list it; `bus` false: the PCI bus does not show it either. */
  readonly gpu_missing?: OnGpu & { readonly bus?: boolean };
  readonly gpu_driver_event?: OnGpu & { readonly event: string; readonly value?: number };
}

export const GPU_READING_NAMES = [
  'gpu_utilization',
  'gpu_memory_temperature',
  'gpu_ecc',
  'gpu_remap',
  'gpu_pcie',
  'gpu_nvlink',
  'gpu_fabric',
  'gpu_recovery_action',
  'gpu_reset',
  'gpu_missing',
  'gpu_driver_event',
] as const satisfies readonly (keyof GpuReadingChanges)[];
