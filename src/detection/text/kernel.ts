// Decodes one kernel log line into the events that it reports: none for almost every line, one for a fault.

import type { Component } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { lineEvidence, recordTime } from './evidence.ts';
import { leapLine, programClockLine } from './kernel/clock-line.ts';
import { gpuAt, hostOf, type KernelContext, messageOf } from './kernel/context.ts';
import { driverLine } from './kernel/driver-line.ts';
import { lustreLine } from './kernel/lustre-line.ts';
import { memoryLine } from './kernel/memory-line.ts';
import { mlx5Line } from './kernel/mlx5-line.ts';
import { ownPart } from './kernel/named-process.ts';
import { pcieLine } from './kernel/pcie-line.ts';
import { portLine } from './kernel/port-line.ts';
import { type StorageFinding, storageLine } from './kernel/storage-line.ts';
import { switchLine } from './kernel/switch-line.ts';
import { panicLine, type SystemFinding, taskLine } from './kernel/system-line.ts';
import { crashLine, opensWithUserWords } from './kernel/user-words.ts';
import { xidDetails } from './kernel/xid-details.ts';
import { parseXidLine, type XidLine } from './kernel/xid-line.ts';
import { onInstance, xidEvent } from './xid.ts';

export { type KernelContext, kernelContext } from './kernel/context.ts';

/** One kernel record is at most about 1 KiB (printk), with continuation 2 KiB; what is longer is not looked at. */
const MAX_LINE = 4096;

/**
 * Linear in the line, never throws. A device that the line does not name is null, never a guess. A line in which a user chose
 * words is recognised first, by the kernel's own words around them: what those words say of devices is said by a user.
 */
export function decodeKernelLine(record: TextRecord, context: KernelContext): EventInput[] {
  const text = messageOf(record.text.length > MAX_LINE ? record.text.slice(0, MAX_LINE) : record.text, context);
  if (text === null) return [];
  const { facility } = record.attributes;
  const said = typeof facility === 'number' && facility !== 0 ? programClockLine(text, context) : null;
  if (said !== null) return [finished(record, said)];
  const crash = crashLine(text, context);
  const own = ownPart(record);
  if (own !== null) return ownTrouble(record, own, crash ?? taskLine(text, context), context);
  // Whoever runs a program can make it crash, under any name.
  if (crash !== null) return [{ ...alike(finished(record, crash), record), trust: 'tenant' }];
  const task = taskLine(text, context);
  if (task !== null) return [alike(finished(record, task), record)];
  if (opensWithUserWords(text)) return [];
  const xid = parseXidLine(text);
  if (xid !== null) return [counted(xidLineEvent(record, xid, context), record)];
  const finding = findingOf(text, context, recordTime(record), repeatsOf(record));
  return finding === null ? [] : [counted(finished(record, finding), record)];
}

/** Lines of its shape that were left out in a storm: of one device, though the process in them may have been another. */
function repeatsOf({ attributes }: TextRecord): number {
  return typeof attributes.repeats === 'number' && attributes.repeats > 0 ? attributes.repeats : 0;
}

/** Each of such lines is about a process of its own. */
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
function ownTrouble(
  record: TextRecord,
  part: string,
  finding: SystemFinding | null,
  context: KernelContext,
): EventInput[] {
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
      trust: 'system',
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

function finished(record: TextRecord, { attributes, ...known }: SystemFinding & StorageFinding): EventInput {
  return { ...base(record, attributes), ...known };
}

function findingOf(
  text: string,
  context: KernelContext,
  timeMs: number,
  repeats: number,
): (SystemFinding & StorageFinding) | null {
  return (
    driverLine(text, context) ??
    pcieLine(text, context) ??
    memoryLine(text, context, timeMs, repeats) ??
    storageLine(text, context) ??
    lustreLine(text, context) ??
    switchLine(text, context) ??
    mlx5Line(text, context) ??
    portLine(text, context) ??
    panicLine(text, context) ??
    leapLine(text, context)
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

function nvlinkOf(gpu: Component | null, link: number): Component | null {
  if (gpu === null) return null;
  const host = gpu.host === undefined ? {} : { host: gpu.host };
  return { type: 'nvlink', id: `${gpu.id}/${link}`, parent: `gpu/${gpu.id}`, ...host };
}

function base(record: TextRecord, attributes: EventInput['attributes'] = {}): Omit<EventInput, 'kind' | 'component'> {
  return {
    timeMs: recordTime(record),
    timeDigits: record.timeMs === null ? 3 : record.timeDigits,
    observedMs: record.observedMs,
    trust: record.trust,
    source: record.source,
    attributes: record.attributes.history === true ? { history: true, ...attributes } : { ...attributes },
    evidence: [lineEvidence(record)],
    discriminator: record.position,
  };
}
