// Recovery action: what the driver asks for a GPU, by the number that NVML and XID 154 give it.

import type { Action } from './action.ts';

/**
 * nvml.h, nvmlDeviceGpuRecoveryAction_t. 3 (drain peer-to-peer) wants the jobs that use it ended; for 5 (recover the IMEX
 * domain) there is no word.
 */
const BY_NUMBER: readonly (Action | null)[] = [
  'none', 'reset_gpu', 'reboot_node', 'restart_app', 'drain_reset_gpu', null, 'reset_gpu', 'reboot_node',
]; // biome-ignore format: by number

/** Of a number or its text, also hexadecimal; null for what is none or has no word here. */
export function recoveryActionOf(value: number | string): Action | null {
  if (typeof value === 'string' && !/^(?:0x[0-9a-f]{1,8}|\d{1,8})$/i.test(value)) return null;
  return BY_NUMBER[Number(value)] ?? null;
}
