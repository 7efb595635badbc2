// Lines of Intel's GPU driver: jobs that time out, engines that do not come back, firmware without an answer, hardware errors (drivers/gpu/drm/xe).

import { ADDRESS, gpuAt, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** "xe 0000:03:00.0: [drm] *ERROR* Tile0: GT0: ", of older kernels without the tile (xe_gt_printk.h, xe_tile_printk.h). */
const HEAD = new RegExp(`^xe (${ADDRESS}): \\[drm\\] (?:\\*ERROR\\* )?(?:Tile\\d{1,2}: )?(?:GT\\d{1,2}: )?`);

type Found = Omit<Finding, 'component'>;
type Decode = (groups: readonly (string | undefined)[]) => Found;

const MESSAGES: readonly (readonly [form: RegExp, decode: Decode])[] = [
  // guc_exec_queue_timedout_job(); the name of the process, which a user chose, comes last.
  [
    /^Timedout job: seqno=\d{1,10}, (?:lrc_seqno=\d{1,10}, )?guc_id=\d{1,7}, flags=0x[0-9a-f]{1,16}(?: in [\s\S]{0,64} \[(-?\d{1,10})\])?\s*$/,
    timedOut,
  ],
  // xe_guc_exec_queue_reset_failure_handler()
  [/^GuC engine reset request failed on \d{1,3}:\d{1,3} because 0x/i, resetFailed],
  // gt_reset_worker()
  [/^reset failed \([\w-]{1,32}\)\s*$/, resetFailed],
  // xe_device_declare_wedged(): "Only a rebind may clear the failure".
  [new RegExp(`^CRITICAL: Xe has declared device ${ADDRESS} as wedged\\.`), () => critical({ wedged: true })],
  // guc_wait_ucode()
  [/^load failed: status = 0x[0-9a-f]{1,8}, time = /i, () => ({ kind: 'gpu.init_failure', attributes: { unit: 'guc' } })],
  // xe_guc_mmio_send_recv(), guc_ct_send_recv()
  [
    /^(?:GuC mmio request 0x[0-9a-f]{1,8}: no reply 0x[0-9a-f]{1,8}|Timed out wait for G2H, fence \d{1,10}, action [0-9a-f]{1,8}, done \w{1,3})\s*$/i,
    () => ({ kind: 'gpu.firmware_error', severity: 'error', attributes: { unit: 'guc' } }),
  ],
  // xe_hw_error.c; what is corrected is passed over.
  [
    /^\[Hardware Error\]: Tile\d{1,2} reported (FATAL|NONFATAL) error 0x[0-9a-f]{1,16}\s*$/i,
    ([, grade]) => ({ kind: 'gpu.fault', severity: grade === 'FATAL' ? 'critical' : 'error', attributes: { hardware_error: true } }),
  ],
]; // biome-ignore format: one message each

export function xeLine(text: string, context: KernelContext): Finding | null {
  const [head, address = ''] = HEAD.exec(text) ?? [];
  if (head === undefined) return null;
  const words = text.slice(head.length);
  for (const [form, decode] of MESSAGES) {
    const groups = form.exec(words);
    if (groups !== null) return { ...decode(groups), component: gpuAt(address, context) };
  }
  return null;
}

/** The driver ends the queue and resets its engine by itself: the job on it is lost. */
function timedOut([, pid]: readonly (string | undefined)[]): Found {
  const of = pid === undefined || Number(pid) <= 0 ? {} : { pid: Number(pid) };
  return { kind: 'gpu.fault', severity: 'error', attributes: { timed_out: true, action: 'reset_gpu', ...of } };
}

function resetFailed(): Found {
  return { kind: 'gpu.reset_failed', attributes: {} };
}

function critical(attributes: Finding['attributes']): Found {
  return { kind: 'gpu.fault', severity: 'critical', attributes: { ...attributes, action: 'reboot_node' } };
}
