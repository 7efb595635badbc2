// Probe of the GPUs: the vendor child for a moment, what it found and what it last read.

import type { Config } from '../../daemon/config.ts';
import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import type { DeviceState } from '../../model/reading.ts';
import { formatTime } from '../../model/time.ts';
import { type Notice, type NoticeOf, native, nativePath, noticesOf } from '../../native.ts';
import { collect } from './collect.ts';
import { CAPABILITY, isState, stateOf } from './gpu-states.ts';

/** Enough for two rounds of samples after the devices are there; their capabilities may take longer. */
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
      if (devicesAt === null && soFar.notices.some(({ name }) => name === 'device')) devicesAt = elapsedMs;
      if (devicesAt === null) {
        return noticesOf(soFar.notices, 'state').some(({ state }) => state === 'absent' || state === 'failed');
      }
      const asked = new Set(noticesOf(soFar.notices, 'capabilities').map(({ component }) => component));
      const there = new Set(noticesOf(soFar.notices, 'device').map(({ component }) => component));
      return asked.size >= there.size && elapsedMs - devicesAt >= SAMPLE_MS;
    },
  );
  const devices = noticesOf(notices, 'device');
  const first = devices[0];
  if (first === undefined) {
    const why =
      noticesOf(notices, 'state').findLast(({ reason }) => reason !== '')?.reason ?? 'the vendor child reports nothing';
    throw new Error(
      `FL1221 no GPU can be read through ${library}: ${why}. Install the NVIDIA driver, or set sources.gpu.library`,
    );
  }
  return {
    schema: READINGS_SCHEMA,
    target: library,
    observed_at: formatTime(nowMs),
    identity: {
      vendor: 'NVIDIA',
      model: same(devices.map(({ model }) => orNull(model))),
      serial: devices.length === 1 ? orNull(first.serial) : null,
      firmware: orNull(first.driver),
    },
    readings: readings.filter((reading) => !isState(reading)),
    states: [
      ...devices.flatMap(statesOf),
      ...readings.flatMap(stateOf),
      ...noticesOf(notices, 'capabilities').flatMap(capabilitiesOf),
    ],
    warnings: notices.flatMap(troubleOf),
  };
}

type Device = NoticeOf<'device'>;

function statesOf({ component, model, uuid, index }: Device): DeviceState[] {
  const states = { model, uuid, index: String(index) };
  return Object.entries(states).flatMap(([name, value]) => (value === '' ? [] : [{ component, name, value }]));
}

/** Every group of readings, and why those are missing that are. */
function capabilitiesOf({ component, groups }: NoticeOf<'capabilities'>): DeviceState[] {
  return [...groups].map(([group, value]) => ({ component, name: `${CAPABILITY}${group}`, value }));
}

function troubleOf(notice: Notice): string[] {
  const line = (component: string | null, what: string, text: string): string[] => [
    `${component ?? 'gpu'}: ${notice.name} ${what} ${text}`.trimEnd(),
  ];
  switch (notice.name) {
    case 'state':
      return ['failed', 'access_lost'].includes(notice.state) ? line(null, notice.state, notice.reason) : [];
    case 'child_exit':
      return line(null, notice.how, notice.text);
    case 'call_stalled':
    case 'device_lost':
      return line(notice.component, notice.call, notice.text);
    case 'xid':
      return line(notice.component, '', notice.text);
    case 'gpu_event':
      return line(notice.component, notice.event, notice.text);
    case 'gpu_reset':
      return line(notice.component, notice.how, notice.text);
    default:
      return [];
  }
}

const orNull = (text: string): string | null => (text === '' ? null : text);

function same(names: readonly (string | null)[]): string | null {
  return new Set(names).size === 1 ? (names[0] ?? null) : null;
}
