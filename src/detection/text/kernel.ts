// Decodes one kernel log line into the events that it reports: none for almost every line, one for a fault.

import type { Component } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { recordTime } from './evidence.ts';
import { acceleratorLine } from './kernel/accelerator-line.ts';
import { amdgpuLine } from './kernel/amdgpu-line.ts';
import { beegfsServerLine } from './kernel/beegfs-server-line.ts';
import { cardLine } from './kernel/card-line.ts';
import { leapLine, programClockLine } from './kernel/clock-line.ts';
import { gpuAt, hostOf, type KernelContext, messageOf } from './kernel/context.ts';
import { deviceLine } from './kernel/device-line.ts';
import { diskLine } from './kernel/disk-line.ts';
import { driverLine } from './kernel/driver-line.ts';
import { fabricManagerLine } from './kernel/fabric-manager-line.ts';
import { beegfsClientLine, beegfsLine, fileServerLine, programStorageLine } from './kernel/file-server-line.ts';
import type { Finding, StateFinding } from './kernel/finding.ts';
import { completeClock, completeHeld, completeKill, holdCall, nameHeld, releaseHeld } from './kernel/held.ts';
import { base, finished } from './kernel/line-event.ts';
import { memoryLine } from './kernel/memory-line.ts';
import { mlx5Line } from './kernel/mlx5-line.ts';
import { ownPart } from './kernel/named-process.ts';
import { oomReport } from './kernel/oom-report.ts';
import { oopsLine } from './kernel/oops-line.ts';
import { pcieLine } from './kernel/pcie-line.ts';
import { portLine } from './kernel/port-line.ts';
import { resetLine } from './kernel/reset-line.ts';
import { storageLine } from './kernel/storage-line.ts';
import { subsystemLine } from './kernel/subsystem-line.ts';
import { switchLine } from './kernel/switch-line.ts';
import { panicLine, stallLine, taskLine } from './kernel/system-line.ts';
import { thermalLine } from './kernel/thermal-line.ts';
import { transmitLine } from './kernel/transmit-line.ts';
import { unitLine } from './kernel/unit-line.ts';
import { unlistedLine } from './kernel/unlisted-line.ts';
import { unloadLine } from './kernel/unload-line.ts';
import { crashLine, opensWithUserWords } from './kernel/user-words.ts';
import { xeLine } from './kernel/xe-line.ts';
import { xidDetails } from './kernel/xid-details.ts';
import { parseXidLine, type XidLine } from './kernel/xid-line.ts';
import { programFindings } from './programs/program-rows.ts';
import { onInstance, xidEvent } from './xid.ts';

export { type KernelContext, kernelContext } from './kernel/context.ts';
export { releaseHeld } from './kernel/held.ts';

/** One kernel record is at most about 1 KiB (printk), with continuation 2 KiB; what is longer is not looked at. */
const MAX_LINE = 4096;
/** Different ones of all GPUs of a host; beyond that the numbers are made up. */
const MOST_XIDS = 4096;

/**
 * Linear in the line, never throws. A device that the line does not name is null, never a guess. A line in which a user chose
 * words is recognised first, by the kernel's own words around them: what those words say of devices is said by a user.
 */
export function decodeKernelLine(record: TextRecord, context: KernelContext): EventInput[] {
  const text = messageOf(record.text.length > MAX_LINE ? record.text.slice(0, MAX_LINE) : record.text, context);
  if (text === null) return [];
  const late = releaseHeld(context, recordTime(record));
  if (isOfKernel(record)) context.oom = oomReport(context.oom, text, recordTime(record));
  return [...late, ...decodeMessage(record, text, context)];
}

function isOfKernel({ trust, attributes: { facility = 0 } }: TextRecord): boolean {
  return trust === 'kernel' && facility === 0;
}

function decodeMessage(record: TextRecord, text: string, context: KernelContext): EventInput[] {
  const { facility } = record.attributes;
  if (typeof facility === 'number' && facility !== 0) {
    const said =
      programClockLine(text, context) ??
      programStorageLine(text, context) ??
      beegfsClientLine(text, context) ??
      beegfsServerLine(text, context) ??
      fabricManagerLine(text, context) ??
      unitLine(text, context);
    const findings = said === null ? programFindings(text, context.host) : [said];
    if (findings !== null)
      return findings.flatMap((finding) => completeClock(record, finding, context) ?? [finished(record, finding)]);
  }
  const crash = crashLine(text, context);
  const own = ownPart(record);
  if (own !== null) return ownTrouble(record, own, crash ?? taskLine(text, context), context);
  // Whoever runs a program can make it crash, under any name.
  if (crash !== null) return [{ ...alike(finished(record, crash), record), trust: 'tenant' }];
  const task = taskLine(text, context);
  const kill = task === null ? null : completeKill(record, text, task, context);
  if (kill !== null) return kill.map((event) => alike(event, record));
  if (task !== null) return [alike(finished(record, task), record)];
  const call = isOfKernel(record) ? holdCall(record, text, context) : null;
  if (call !== null) return call;
  const beegfs = beegfsLine(text, context);
  if (beegfs !== null) return [counted(finished(record, beegfs), record)];
  if (opensWithUserWords(text)) return [];
  const xid = parseXidLine(text);
  if (xid !== null) {
    const gpu = xid.address === null ? null : gpuAt(xid.address, context);
    const event = counted(xidLineEvent(record, xid, context), record);
    return [...nameHeld(xid.xid, gpu, record, context), ...namedCause(xid, event, gpu, record, context), event];
  }
  const held = completeHeld(record, text, context);
  if (held !== null) return held;
  const { priority } = record.attributes;
  const finding =
    findingOf(text, context, recordTime(record), repeatsOf(record)) ??
    unlistedLine(text, typeof priority === 'number' ? priority : null, context);
  return finding === null ? [] : [counted(finished(record, finding), record)];
}

/** Lines of its shape that were left out in a storm: of one device, though the process in them may have been another. */
function repeatsOf({ attributes }: TextRecord): number {
  return typeof attributes.repeats === 'number' && attributes.repeats > 0 ? attributes.repeats : 0;
}

/** Each of such lines is about another process. */
function alike(event: EventInput, record: TextRecord): EventInput {
  const repeats = repeatsOf(record);
  return repeats === 0 ? event : { ...event, attributes: { ...event.attributes, similar_lines: repeats } };
}

function counted(event: EventInput, record: TextRecord): EventInput {
  const repeats = repeatsOf(record);
  return repeats === 0 ? event : { ...event, count: 1 + repeats };
}

const OWN_DO = 'FL2209 the kernel ended or held up a process of Faultline itself';

/**
 * What the kernel reports of a process of this daemon is our own trouble: of the host or of a job it says nothing. One process
 * is one event, by however many lines.
 */
function ownTrouble(record: TextRecord, part: string, finding: Finding | null, context: KernelContext): EventInput[] {
  if (finding === null) return [];
  const { pid, process } = finding.attributes;
  const stalled = finding.kind === 'host.hung_task' || finding.kind === 'host.soft_lockup';
  const line = base(record, {
    code: 'FL2209',
    source: part,
    own: true,
    reason: OWN_REASONS[finding.kind] ?? finding.kind,
    ...finding.attributes,
  });
  return [
    {
      ...line,
      kind: stalled ? 'agent.source_stalled' : 'agent.source_failed',
      component: hostOf(context),
      trust: record.trust === 'tenant' ? 'tenant' : 'system',
      evidence: [...(line.evidence ?? []), { source: record.source, timeMs: line.timeMs, text: OWN_DO }],
      discriminator: `own ${String(pid)} ${String(process)} ${finding.kind}`,
    },
  ];
}

const OWN_REASONS: Partial<Record<Kind, string>> = {
  'host.oom': 'ended by the out-of-memory killer',
  'process.segfault': 'crashed',
  'host.hung_task': 'stuck in the kernel',
  'host.soft_lockup': 'held a CPU in the kernel',
};

function findingOf(text: string, context: KernelContext, timeMs: number, repeats: number): StateFinding | null {
  return (
    driverLine(text, context) ??
    unloadLine(text, context) ??
    resetLine(text, context) ??
    pcieLine(text, context, timeMs) ??
    memoryLine(text, context, timeMs, repeats) ??
    thermalLine(text, context) ??
    amdgpuLine(text, context) ??
    xeLine(text, context) ??
    storageLine(text, context) ??
    diskLine(text, context) ??
    acceleratorLine(text, context) ??
    fileServerLine(text, context) ??
    switchLine(text, context) ??
    mlx5Line(text, context) ??
    cardLine(text, context) ??
    portLine(text, context) ??
    transmitLine(text, context) ??
    oopsLine(text, context, timeMs) ??
    panicLine(text, context) ??
    stallLine(text, context) ??
    leapLine(text, context) ??
    deviceLine(text, context) ??
    subsystemLine(text, context)
  );
}

function xidLineEvent(record: TextRecord, line: XidLine, context: KernelContext): EventInput {
  const details = xidDetails(line);
  const gpu = line.address === null ? null : gpuAt(line.address, context);
  const event = xidEvent(line.xid, details.link === undefined ? gpu : nvlinkOf(gpu, details.link), base(record, {}));
  const detailed = {
    ...event,
    kind: details.kind ?? event.kind,
    attributes: {
      ...event.attributes,
      ...(line.pid === null ? {} : { pid: line.pid }),
      ...(line.process === null ? {} : { process: line.process }),
      ...details.attributes,
    },
  };
  return onInstance(detailed, line.instance);
}

/**
 * A line may name the error that it follows from. Where no line of that error itself was seen, as in an excerpt, this one says that
 * it was: once for each GPU.
 */
function namedCause(
  { xid }: XidLine,
  { attributes = {} }: EventInput,
  gpu: Component | null,
  record: TextRecord,
  { xidsSeen }: KernelContext,
): EventInput[] {
  if (gpu === null || xidsSeen.size >= MOST_XIDS) return [];
  xidsSeen.add(`${gpu.id} ${xid}`);
  const { previous_xid: cause } = attributes;
  if (typeof cause !== 'number' || xidsSeen.has(`${gpu.id} ${cause}`)) return [];
  xidsSeen.add(`${gpu.id} ${cause}`);
  return [xidEvent(cause, gpu, base(record, { named_by_xid: xid }))];
}

function nvlinkOf(gpu: Component | null, link: number): Component | null {
  if (gpu === null) return null;
  const host = gpu.host === undefined ? {} : { host: gpu.host };
  return { type: 'nvlink', id: `${gpu.id}/${link}`, parent: `gpu/${gpu.id}`, ...host };
}
