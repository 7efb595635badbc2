// What the simulated driver answers at one moment: the world's GPUs under the changes in force.

import { GPU_REASONS } from '../scenario/changes.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedGpu, PlannedHost } from '../scenario/world.ts';

export interface GpuState {
  readonly gpu: PlannedGpu;
  powerW: number;
  limitW: number;
  temperatureC: number;
  smClockMhz: number;
  /** NVML clocks event reasons. */
  reasons: number;
  /** NVML return code of every call, 0 when the GPU is well. */
  error: number;
  hang: boolean;
}

/** nvml.h, NVML_ERROR_GPU_IS_LOST. */
const GPU_IS_LOST = 15;

/** Later changes of the same thing win; reasons add up. */
export function gpuStates(host: PlannedHost, changes: readonly PlannedChange[]): GpuState[] {
  const states = host.gpus.map(
    (gpu): GpuState => ({
      gpu,
      powerW: gpu.powerW,
      limitW: gpu.limitW,
      temperatureC: gpu.temperatureC,
      smClockMhz: gpu.smClockMhz,
      reasons: 0,
      error: 0,
      hang: false,
    }),
  );
  for (const change of changes) {
    if (!('gpus' in change)) continue;
    for (const index of change.gpus) {
      const state = states[index];
      if (state !== undefined) applyTo(state, change);
    }
  }
  return states;
}

function applyTo(state: GpuState, change: PlannedChange): void {
  switch (change.type) {
    case 'gpu_reasons':
      for (const reason of change.set) state.reasons |= GPU_REASONS[reason];
      break;
    case 'gpu_power_limit':
      state.limitW = change.to;
      state.powerW = Math.min(state.powerW, change.to);
      break;
    case 'gpu_power':
      state.powerW = change.to;
      break;
    case 'gpu_clock':
      state.smClockMhz = change.to;
      break;
    case 'gpu_temperature':
      state.temperatureC = change.to;
      break;
    case 'gpu_lost':
      state.error = GPU_IS_LOST;
      break;
    case 'gpu_hang':
      state.hang = true;
      break;
  }
}
