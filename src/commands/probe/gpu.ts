// Probe of the GPUs: the vendor child for a moment, what it found and what it last read.

import type { Config } from '../../config/config.ts';
import type { DeviceState, ReadingsDocument } from '../../model/reading.ts';
import { formatTime } from '../../model/time.ts';
import { type Notice, native, nativePath } from '../../native.ts';
import { parseCapabilities } from '../../sources/gpu/capabilities.ts';
import { collect } from './collect.ts';
import { CAPABILITY, isState, stateOf } from './gpu-states.ts';

/** Enough for two rounds of samples after the devices are there; what they can tell may take longer. */
const SAMPLE_MS = 1500;
const LONGEST_MS = 8000;

export async function probeGpu(config: Config): Promise<ReadingsDocument> {
  const { library, intervalMs, burstIntervalMs, callDeadlineMs } = config.sources.gpu;
  let devicesAt: number | null = null;
  const { notices, readings, nowMs } = await collect(
    (core) => {
      const executable = nativePath('faultline-vendor');
      return new (native().Vendor)(core, { executable, library, intervalMs, burstIntervalMs, callDeadlineMs });
    },
    LONGEST_MS,
    (soFar, elapsedMs) => {
      if (devicesAt === null && soFar.notices.some(({ type }) => type === 'device')) devicesAt = elapsedMs;
      const count = (kind: string) =>
        new Set(soFar.notices.filter(({ type }) => type === kind).map((n) => n.component));
      if (devicesAt !== null && count('capabilities').size < count('device').size) return false;
      if (devicesAt !== null) return elapsedMs - devicesAt >= SAMPLE_MS;
      return soFar.notices.some(({ type, name }) => type === 'state' && (name === 'absent' || name === 'failed'));
    },
  );
  const devices = notices.filter(({ type }) => type === 'device').map(deviceOf);
  const first = devices[0];
  if (first === undefined) {
    const why =
      notices.findLast(({ type, text }) => type === 'state' && text !== '')?.text ?? 'the vendor child says nothing';
    throw new Error(
      `FL1221 no GPU can be read through ${library}: ${why}. Install the NVIDIA driver, or set sources.gpu.library`,
    );
  }
  return {
    schema: 'faultline/readings/1',
    target: library,
    observed_at: formatTime(nowMs),
    identity: {
      vendor: 'NVIDIA',
      model: same(devices.map((device) => device.name)),
      serial: devices.length === 1 ? first.serial : null,
      firmware: first.driver,
    },
    readings: readings.filter((reading) => !isState(reading)),
    states: [
      ...devices.flatMap(statesOf),
      ...readings.flatMap(stateOf),
      ...notices.filter(({ type }) => type === 'capabilities').flatMap(capabilitiesOf),
    ],
    warnings: notices
      .filter(isTrouble)
      .map((notice) => `${notice.component || 'gpu'}: ${notice.type} ${notice.name} ${notice.text}`.trimEnd()),
  };
}

interface Device {
  readonly component: string;
  readonly name: string | null;
  readonly uuid: string | null;
  readonly serial: string | null;
  readonly driver: string | null;
  readonly index: string | null;
}

function deviceOf(notice: Notice): Device {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(notice.text);
  } catch {} // a device that does not describe itself is still there
  const fields = new Map(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []);
  const field = (name: string) =>
    fields.get(name) === undefined || fields.get(name) === '' ? null : String(fields.get(name));
  const { component } = notice;
  return {
    component,
    name: field('name'),
    uuid: field('uuid'),
    serial: field('serial'),
    driver: field('driver'),
    index: field('index'),
  };
}

function statesOf({ component, name, uuid, index }: Device): DeviceState[] {
  const told = [
    ['model', name],
    ['uuid', uuid],
    ['index', index],
  ] as const;
  return told.flatMap(([key, value]) => (value === null ? [] : [{ component, name: key, value }]));
}

/** Every group of readings, and why those are missing that are. */
function capabilitiesOf({ component, text }: Notice): DeviceState[] {
  return [...parseCapabilities(text)].map(([group, value]) => ({ component, name: `${CAPABILITY}${group}`, value }));
}

function isTrouble({ type, name }: Notice): boolean {
  if (type === 'state') return name === 'failed' || name === 'access_lost';
  return ['call_stalled', 'device_lost', 'child_exit', 'xid', 'gpu_event', 'gpu_reset'].includes(type);
}

function same(names: readonly (string | null)[]): string | null {
  return new Set(names).size === 1 ? (names[0] ?? null) : null;
}
