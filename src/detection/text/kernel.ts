// Decodes one kernel log line into the events that it tells of: none for almost every line, one for a fault.

import type { Component } from '../../model/component.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { lineEvidence, recordTime } from './evidence.ts';
import { clockLine } from './kernel/clock-line.ts';
import { gpuAt, type KernelContext } from './kernel/context.ts';
import { driverLine } from './kernel/driver-line.ts';
import { lustreLine } from './kernel/lustre-line.ts';
import { memoryLine } from './kernel/memory-line.ts';
import { mlx5Line } from './kernel/mlx5-line.ts';
import { pcieLine } from './kernel/pcie-line.ts';
import { portLine } from './kernel/port-line.ts';
import { type StorageFinding, storageLine } from './kernel/storage-line.ts';
import { switchLine } from './kernel/switch-line.ts';
import { type SystemFinding, systemLine } from './kernel/system-line.ts';
import { xidDetails } from './kernel/xid-details.ts';
import { parseXidLine, type XidLine } from './kernel/xid-line.ts';
import { onInstance, xidEvent } from './xid.ts';

export { type KernelContext, kernelContext } from './kernel/context.ts';

/** One kernel record is at most about 1 KiB (printk), with continuation 2 KiB; what is longer is not looked at. */
const MAX_LINE = 4096;

/** Linear in the line, never throws. A device that the line does not name is null, never a guess. */
export function decodeKernelLine(record: TextRecord, context: KernelContext): EventInput[] {
  const text = record.text.length > MAX_LINE ? record.text.slice(0, MAX_LINE) : record.text;
  const xid = parseXidLine(text, context);
  if (xid !== null) return [xidLineEvent(record, xid, context)];
  const finding = findingOf(text, context, recordTime(record));
  if (finding === null) return [];
  const { attributes, ...known } = finding;
  return [{ ...base(record, attributes), ...known }];
}

function findingOf(text: string, context: KernelContext, timeMs: number): (SystemFinding & StorageFinding) | null {
  return (
    driverLine(text, context) ??
    systemLine(text, context) ??
    pcieLine(text, context) ??
    memoryLine(text, context, timeMs) ??
    storageLine(text, context) ??
    lustreLine(text, context) ??
    switchLine(text, context) ??
    mlx5Line(text, context) ??
    portLine(text, context) ??
    clockLine(text, context)
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
