// Probe of the CPUs: RAPL power and limits of every package, and what /proc/cpuinfo calls them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../daemon/config.ts';
import { READINGS_SCHEMA, type ReadingsDocument } from '../../model/documents/readings.ts';
import { formatTime } from '../../model/time.ts';
import { native, noticesOf } from '../../native.ts';
import { collect } from './collect.ts';

const INTERVAL_MS = 100;
/** Power is energy over time: it needs two rounds. */
const SAMPLE_MS = 500;
const LONGEST_MS = 2000;

export async function probeCpu(config: Config): Promise<ReadingsDocument> {
  const { proc, sys } = config.roots;
  const { notices, readings, nowMs } = await collect(
    (core) =>
      new (native().Rapl)(core, { sysRoot: sys, host: config.host, intervalMs: INTERVAL_MS, fastIntervalMs: 0 }),
    LONGEST_MS,
    (soFar, elapsedMs) => {
      const state = noticesOf(soFar.notices, 'rapl_state').at(-1)?.state;
      return elapsedMs >= SAMPLE_MS || state === 'absent';
    },
  );
  const state = noticesOf(notices, 'rapl_state').at(-1);
  if (readings.length === 0) {
    const why = state === undefined ? '' : `: ${state.reason || state.state.replace('_', ' ')}`;
    const what =
      state?.state === 'no_permission'
        ? 'Run it as root'
        : 'Load the driver: modprobe intel_rapl_msr (virtual machines have none)';
    throw new Error(`FL1222 no CPU package can be read under ${sys}/class/powercap${why}. ${what}`);
  }
  const { vendor, model } = cpuinfo(join(proc, 'cpuinfo'));
  return {
    schema: READINGS_SCHEMA,
    target: join(sys, 'class/powercap'),
    observed_at: formatTime(nowMs),
    identity: { vendor, model, serial: null, firmware: null },
    readings,
    states: [],
    warnings: state?.state === 'no_permission' ? [`energy may not be read: ${state.reason}. Run it as root`] : [],
  };
}

/** Model and vendor of the first processor; null where the file does not say (arm64 names neither). */
function cpuinfo(path: string): { vendor: string | null; model: string | null } {
  let text = '';
  try {
    text = readFileSync(path, 'utf8').slice(0, 16_384);
  } catch {} // a container may hide it; the readings stand without it
  const field = (name: RegExp) => name.exec(text)?.[1]?.trim() ?? null;
  return { vendor: field(/^vendor_id\s*:\s*(.+)$/m), model: field(/^model name\s*:\s*(.+)$/m) };
}
