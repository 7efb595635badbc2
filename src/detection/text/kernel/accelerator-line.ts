// Lines of drivers of other accelerators, and of NVIDIA's display module: a device that hangs or does not come up.

import { gpuAt, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** nvidia-drm/nvidia-drm-drv.c: the number is domain, bus and device. */
const DISPLAY =
  /^\[drm:nv_drm_\w{1,32} \[nvidia_drm\]\] \*ERROR\* \[nvidia-drm\] \[GPU ID 0x([0-9a-f]{8})\] Failed to allocate NvKmsKapiDevice/;
/** drivers/gpu/drm/i915/i915_gpu_error.c; the name of the process is a user's, and the rest of the line up to its pid. */
const HANG =
  /^i915 ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\[drm\] )?GPU HANG: ecode \d{1,2}:(?:[0-9a-f]{1,8}:?[^\n]{0,120}, in [^\n]{1,64} \[(\d{1,10})\]\s*$)?/;
/**
 * gt/intel_reset.c, intel_gt_reset() and __intel_engine_reset_bh(), with the reasons of gt/intel_engine_heartbeat.c and
 * gt/intel_execlists_submission.c, and of the hang check before them; a reset that someone asked for through debugfs has another.
 */
const RESET =
  /^i915 ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\[drm\] )?(?:GT\d{1,2}: )?Resetting (chip|[a-z]{2,5}\d{1,2}) for (preemption time out|CS error|invalid CSB event|internal error|(?:stopped heartbeat|hang|no progress) on [a-z]{2,5}\d{1,2})\s*$/;
/** gt/uc/intel_guc_submission.c: the engine does not come back by itself. */
const ENGINE =
  /^i915 ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:\[drm\] )?(?:\*ERROR\* )?(?:GT\d{1,2}: )?(?:GUC: )?(?:GuC engine reset request|Engine reset) failed on \d{1,3}:\d{1,3} /;
/** gaudi2.c and gaudi.c: an ECC error that the driver resets the device for. */
const GAUDI_ECC =
  /^habanalabs (?:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: \w{1,16})?|\w{1,16}): (?:[\w ]{1,64}: )?ECC error detected\. address: [^\n]{1,160} critical [1-9]/;
/** drivers/accel/habanalabs/common/device.c */
const GAUDI =
  /^habanalabs (?:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?: \w{1,16})?|\w{1,16}): (?:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) )?(?:[Dd]evice heartbeat failed!|Failed to reset!|Consecutive FW fatal errors received|[Ff]ailed to initialize the H\/W\b|Failed to detect if device is alive\b|[Hh]ard reset failed|[Gg]oing to hard-reset device\b|[Dd]evice was reset too many times\b)/;

export function acceleratorLine(text: string, context: KernelContext): Finding | null {
  const display = DISPLAY.exec(text)?.[1];
  if (display !== undefined) {
    const address = `${display.slice(0, 4)}:${display.slice(4, 6)}:${display.slice(6)}.0`;
    return { kind: 'gpu.init_failure', component: gpuAt(address, context), attributes: { display_module: true } };
  }
  const [, hung, pid] = HANG.exec(text) ?? [];
  if (hung !== undefined) {
    const attributes = { hang: true, ...(pid === undefined ? {} : { pid: Number(pid) }) };
    return { kind: 'gpu.fault', severity: 'error', component: gpuAt(hung, context), attributes };
  }
  const [, reset, unit, reason] = RESET.exec(text) ?? [];
  if (reset !== undefined && unit !== undefined && reason !== undefined) {
    const attributes = { driver_reset: true, unit, reason, action: 'reset_gpu' };
    return { kind: 'gpu.fault', severity: 'error', component: gpuAt(reset, context), attributes };
  }
  const engine = ENGINE.exec(text)?.[1];
  if (engine !== undefined) return { kind: 'gpu.reset_failed', component: gpuAt(engine, context), attributes: {} };
  const [found, before, behind] = GAUDI.exec(text) ?? GAUDI_ECC.exec(text) ?? [];
  if (found === undefined) return null;
  const address = before ?? behind;
  const component = address === undefined ? null : gpuAt(address, context);
  return { kind: 'gpu.fault', component, attributes: { driver: 'habanalabs' } };
}
