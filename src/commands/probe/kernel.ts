// Probe of the kernel log: may it be read, how far does it reach, which faults does it already hold.

import type { Config } from '../../daemon/config.ts';
import { TextDetection } from '../../detection/text/text-detection.ts';
import { componentText } from '../../model/component.ts';
import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import type { Reading } from '../../model/reading.ts';
import type { EventInput } from '../../model/record.ts';
import { formatTime } from '../../model/time.ts';
import { type KernelRecord, native, noticesOf } from '../../native.ts';
import { probeKernelLog } from '../../sources/kernel-log/probe-kernel-log.ts';
import { collect } from './collect.ts';

const QUIET_MS = 200;
const LONGEST_MS = 3000;
const MAX_FAULTS = 100;

export async function probeKernel(config: Config): Promise<ReadingsDocument> {
  const { path } = config.sources['kernel-log'];
  const { status, error } = await probeKernelLog(path);
  if (status === 'no_permission') {
    throw new Error(
      `FL1223 ${path} may not be read by this user (${error}). Run it as root, give it CAP_SYSLOG, or: sysctl kernel.dmesg_restrict=0`,
    );
  }
  if (status !== 'works')
    throw new Error(`FL1223 ${path} cannot be read (${error}). In a container, mount the host's /dev/kmsg there`);
  let seen = 0;
  let since = 0;
  const { records, notices, nowMs } = await collect(
    (core) => new (native().KernelLog)(core, { path, userLines: true, fromStart: true }),
    LONGEST_MS,
    (soFar, elapsedMs) => {
      if (soFar.records.length !== seen) since = elapsedMs;
      seen = soFar.records.length;
      return elapsedMs - since >= QUIET_MS;
    },
  );
  const host = `host/${config.host}`;
  const lost = noticesOf(notices, 'kernel_overrun').reduce((sum, one) => sum + one.lost, 0);
  const faults = faultsOf(config.host, path, records);
  return {
    schema: READINGS_SCHEMA,
    target: path,
    observed_at: formatTime(nowMs),
    identity: { vendor: null, model: null, serial: null, firmware: null },
    readings: readingsOf(host, records),
    states: [
      { component: host, name: 'kernel_log', value: 'readable' },
      ...faults.slice(-MAX_FAULTS).map((fault) => ({
        component: fault.component === null ? host : componentText(fault.component),
        name: fault.kind,
        value: `${formatTime(fault.timeMs)}${xidOf(fault)}`,
      })),
    ],
    warnings: [
      ...(lost > 0 ? [`${lost} records were overwritten while they were read`] : []),
      ...(faults.length > MAX_FAULTS ? [`${faults.length - MAX_FAULTS} older faults are not shown`] : []),
    ],
  };
}

function readingsOf(component: string, records: readonly KernelRecord[]): Reading[] {
  const first = records[0];
  const last = records.at(-1);
  if (first === undefined || last === undefined) return [{ component, quantity: 'records', value: 0, unit: '1' }];
  const seconds = (last.timeMs - first.timeMs) / 1000;
  return [
    { component, quantity: 'records', value: records.length, unit: '1' },
    { component, quantity: 'last_sequence', value: last.sequence, unit: '1' },
    {
      component,
      quantity: 'record_rate',
      value: seconds > 0 ? Number((records.length / seconds).toPrecision(3)) : null,
      unit: 'Hz',
    },
  ];
}

/** Newest state of every event that the kernel's own lines tell of; what programs wrote there proves nothing. */
function faultsOf(host: string, stream: string, records: readonly KernelRecord[]): EventInput[] {
  const detection = new TextDetection(host);
  const faults = new Map<string, EventInput>();
  for (const record of records) {
    if (record.facility !== 0) continue;
    const { sequence, timeMs, observedMs, priority, facility, text } = record;
    const attributes = { priority, facility };
    const line = {
      source: 'kernel-log',
      trust: 'kernel',
      stream,
      position: sequence,
      timeMs,
      timeDigits: 6,
      observedMs,
      text,
      attributes,
    } as const;
    for (const event of detection.decode(line).events) {
      const component = event.component === null ? '' : componentText(event.component);
      faults.set(`${event.kind} ${component} ${event.timeMs} ${event.discriminator ?? ''}`, event);
    }
  }
  return [...faults.values()].sort((a, b) => a.timeMs - b.timeMs);
}

function xidOf({ attributes, count }: EventInput): string {
  const xid = attributes?.xid;
  return `${xid === undefined ? '' : ` XID ${xid}`}${count === undefined || count === 1 ? '' : ` ×${count}`}`;
}
