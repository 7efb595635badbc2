// Lines of AMD's GPU driver: queues that hang, resets it does itself, firmware without an answer, memory errors (drivers/gpu/drm/amd).

import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { ADDRESS, gpuAt, type KernelContext } from './context.ts';
import type { Finding, StateFinding } from './finding.ts';

/**
 * "amdgpu 0000:0a:00.0: amdgpu: ", "amdgpu 0000:0a:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ", and without the device "amdgpu: ",
 * "[drm:gfx_v9_0_ring_test_ring [amdgpu]] *ERROR* amdgpu: ": dev_err(), DRM_ERROR() and pr_err(), one in another. FreeBSD has "[drm ERROR :function] ".
 */
const HEAD = new RegExp(
  `^(?=amdgpu[ :]|\\[drm:\\w{1,64}(?:\\.[\\w.]{1,32})? \\[amdgpu\\]\\]|\\[drm ERROR :amdgpu_)(?:\\[drm ERROR :\\w{1,64}\\] )?(?:amdgpu (${ADDRESS}): )?(?:amdgpu: |\\[drm\\] |\\[drm:\\w{1,64}(?:\\.[\\w.]{1,32})? \\[amdgpu\\]\\] |\\*ERROR\\* ){0,6}`,
);
/** More than a host has. */
const MOST_GPUS = 64;

/** Of the reset's source by number: USER (enum amd_reset_src). */
const BY_USER = 5;

type Attributes = Finding['attributes'];
type Decode = (groups: readonly (string | undefined)[]) => Omit<StateFinding, 'component'> | null;

/** Each from the start of the words to their end, for names of processes may follow in other lines. */
const MESSAGES: readonly (readonly [form: RegExp, decode: Decode])[] = [
  // A queue that answered after all is as good as new.
  [/^ring (\S{1,32}) timeout, (?:signaled seq=\d+, emitted seq=\d+|but soft recovered)\s*$/, ringTimeout],
  [/^GPU reset begin!(?:\. {0,2}Source: {1,4}(\d{1,2}))?\s*$/, resetBegins],
  [
    /^GPU (?:reset(?:\(\d{1,6}\))? failed(?: with error -?\d+)?|reset retry is beyond the retry limit|Recovery Failed: -?\d+|reset end with ret = -\d+)\s*$/,
    () => resetFailed(),
  ],
  // "GPU reset succeeded, trying to resume" is the half of it: what was to be resumed may fail.
  [
    /^GPU reset(?:\(\d{1,6}\))? succeeded!\s*$/,
    () => ({ kind: 'gpu.fault', state: 'clear', attributes: { driver_reset: true } }),
  ],
  // Without its firmware, or its reset, no queue of it runs again before the power was off.
  [/^ASIC reset failed with error, -?\d+ for drm dev, \S{1,24}\s*$/, () => resetFailed()],
  [/^(?:GPU )?(?:mode[012]|BACO|psp mode1|PSP mode1|link) reset failed\b[^\n]{0,80}$/i, () => resetFailed()],
  [
    /^(?:Fatal error during GPU init|amdgpu_device_ip_init failed|GPU post error!|gpu post error!|failed to initialize psp\b.{0,40}|Failed to initialize .{1,40} firmware.{0,40})\s*$/,
    initFailed,
  ],
  [/^(?:hw_init|sw_init|early_init|resume|suspend) of IP block <\w{1,24}> failed -?\d+\s*$/, initFailed],
  [
    /^PSP (?:create ring failed!|firmware loading failed|load (?:kdb|sysdrv|sos|tmr|asd|ras).{0,24} failed!?)\s*$/,
    initFailed,
  ],
  // amdgpu_ring.c, gfx_v*.c: a queue that takes no commands after the start or a reset of the GPU.
  [
    /^(?:ring \S{1,32} (?:kiq\S{0,24} )?test failed|(?:IB )?test failed on \S{1,32}|failed testing IB on \w{1,16} ring|IB test on \S{1,32} ring failed|ib ring test failed|K[CG]Q enable failed|couldn't schedule ib on ring|failed to (?:enable|init(?:ialize)?) (?:kiq|KIQ|mes|MES)\b)[^\n]{0,100}$/,
    queueDead,
  ],
  // amdgpu_device.c: whatever was in the memory is gone, and with it every process on the GPU.
  [
    /^VRAM is lost(?: due to GPU reset)?!\s*$/,
    () => ({
      kind: 'gpu.fault',
      severity: 'error',
      attributes: { driver_reset: true, memory_lost: true, action: 'reset_gpu' },
    }),
  ],
  [
    /^SMU: response:0xFFFFFFFF for index:\d+ [^\n]{0,100}$/,
    () => ({ kind: 'gpu.firmware_error', severity: 'critical', attributes: { unit: 'smu', all_ones: true } }),
  ],
  [/^(?:MES|SMU|PSP)(?:\([\w, ]{1,16}\))? failed to respon(?:d|se) (?:to )?(?:msg|message)[ =][^\n]{1,80}$/, firmware],
  [/^MES (?:might be in unrecoverable state, issue a GPU reset|ring buffer is full\.?)\s*$/, firmware],
  [/^The cp might be in an unrecoverable state due to an unsuccessful queues preemption\s*$/, firmware],
  [/^HIQ MQD's queue_doorbell_id0 is not 0, Queue preemption time out\s*$/, firmware],
  [
    /^(?:qcm fence wait loop timeout expired|cp queue pipe \d+ queue \d+ preemption failed|cp queue preemption time ?out\.|Queue preemption failed for queue with doorbell_id: \w{1,16})\s*$/,
    firmware,
  ],
  [/^failed to (?:remove|add|suspend|resume) (?:hardware queue (?:from|to) MES|all gangs).{0,40}$/i, firmware],
  [
    /^(?:Failed to evict (?:process )?queues?(?: \d+)?|Failed to quiesce KFD|Resetting wave fronts.{0,60})\s*$/,
    firmware,
  ],
  [/^SMU: I'm not done with your previous command[^\n]{0,100}$/, firmware],
  [
    /^(?:\{\d+\} ?)?(?:socket: \d+, die: \d+,? )?(\d{1,10}) (?:new )?uncorrectable hardware errors detected in +(\w{1,16}) block\s*$/i,
    uncorrectable,
  ],
  [/^(?:\{\d+\} ?)?uncorrectable hardware error ?\(ERREVENT_ATHUB_INTERRUPT\) detected!\s*$/, announced],
  [/^(?:\{\d+\} ?)?RAS event of type ERREVENT_ATHUB_INTERRUPT detected!\s*$/, announced],
  [/^(?:RAS (?:WARN|EEPROM).{0,60}exceed(?:s|ed)? threshold|RAS records:\d+ exceed threshold:\d+).{0,80}$/i, badPages],
  [/^\[\w{3,12}\] (?:no-retry |retry )?page fault \(src_id:\d+ ring:\d+ vmid:\d+ pasid:\d+/, pageFault],
];

export function amdgpuLine(text: string, context: KernelContext): StateFinding | null {
  const [head, address] = HEAD.exec(text) ?? [];
  if (head === undefined || head === '') return null;
  const words = text.slice(head.length);
  const component = gpuOf(address, context);
  for (const [form, decode] of MESSAGES) {
    const groups = form.exec(words);
    if (groups === null) continue;
    const found = decode(groups);
    return found === null ? null : duringReset({ ...found, component }, context);
  }
  return null;
}

/** Queues that take nothing after a reset, or within it, are what is left of the fault that the reset was for. */
function duringReset(found: StateFinding, { amdgpus }: KernelContext): StateFinding {
  const id = found.component?.id ?? '';
  if ((found.attributes.driver_reset === true || found.kind === 'gpu.reset_failed') && amdgpus.has(id))
    amdgpus.set(id, true);
  if (found.attributes.queues !== false || amdgpus.get(id) !== true) return found;
  return { ...found, kind: 'gpu.fault', attributes: { ...found.attributes, driver_reset: true, action: 'reset_gpu' } };
}

/** Many lines name no device: it is the GPU that the driver named, where that is one. */
function gpuOf(address: string | undefined, context: KernelContext): Component | null {
  const { amdgpus } = context;
  if (address === undefined) {
    const [only] = amdgpus.keys();
    return only === undefined || amdgpus.size > 1 ? null : gpuAt(only, context);
  }
  const gpu = gpuAt(address, context);
  if (gpu !== null && !amdgpus.has(gpu.id) && amdgpus.size < MOST_GPUS) amdgpus.set(gpu.id, false);
  return gpu;
}

/** The job on the queue is lost, the others on the GPU with it where the driver resets all of it. */
function ringTimeout([text = '', ring = '']: readonly (string | undefined)[]): ReturnType<Decode> {
  if (text.includes('soft recovered'))
    return { kind: 'gpu.fault', severity: 'warning', attributes: { ring, recovered: true } };
  return { kind: 'gpu.fault', severity: 'error', attributes: { ring, action: 'reset_gpu' } };
}

/** The driver resets the GPU because of what hung on it; only one that a user asks for is planned. */
function resetBegins([, source]: readonly (string | undefined)[]): ReturnType<Decode> {
  if (Number(source) === BY_USER) return { kind: 'gpu.reset', attributes: {} };
  return { kind: 'gpu.fault', severity: 'error', attributes: { driver_reset: true, action: 'reset_gpu' } };
}

function resetFailed(): ReturnType<Decode> {
  return { kind: 'gpu.reset_failed', attributes: {} };
}

function initFailed(): ReturnType<Decode> {
  return { kind: 'gpu.init_failure', attributes: {} };
}

function queueDead(): ReturnType<Decode> {
  return { kind: 'gpu.init_failure', attributes: { queues: false } };
}

function firmware(): ReturnType<Decode> {
  return { kind: 'gpu.firmware_error', severity: 'error', attributes: { unit: 'scheduler' } };
}

/** UMC is the controller of the memory; every other block holds SRAM. */
function uncorrectable([, count, block = '']: readonly (string | undefined)[]): ReturnType<Decode> {
  if (Number(count) === 0) return null;
  if (block.toLowerCase() !== 'umc') return sram(block.toLowerCase());
  return { kind: 'gpu.memory.dbe', attributes: { block: 'umc', errors: Number(count) } };
}

function sram(block: string): { readonly kind: Kind; readonly attributes: Attributes } {
  return { kind: 'gpu.memory.sram_uncorrectable', attributes: { block } };
}

function badPages(): ReturnType<Decode> {
  return { kind: 'gpu.memory.row_remap_failed', attributes: { bad_pages: true } };
}

/** Of any block: further lines name it. */
function announced(): ReturnType<Decode> {
  return { kind: 'gpu.memory.unrecovered_ecc', attributes: {} };
}

function pageFault(): ReturnType<Decode> {
  return { kind: 'gpu.app_fault', attributes: { page_fault: true } };
}
