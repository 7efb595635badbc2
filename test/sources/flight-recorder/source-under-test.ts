// A source of FlightRecorder dumps as the tests of its parts start it: dumps of made-up jobs, and a procfs of their ranks.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Discovery, EventInput } from '../../../src/model/record.ts';
import { nativePath } from '../../../src/native.ts';
import {
  type FlightRecorderOptions,
  FlightRecorderSource,
} from '../../../src/sources/flight-recorder/flight-recorder-source.ts';
import type { FlightRecorderSettings } from '../../../src/sources/flight-recorder/settings.ts';
import { workDiscoveries } from '../../../src/sources/processes/work-discoveries.ts';
import { knowing, lookingAt } from '../../identity/knowing.ts';
import { type CaseKind, makeCase } from '../../native-fr/generator/cases.ts';
import { until } from '../../until.ts';

export const root = mkdtempSync(join(tmpdir(), 'fl-fr-source-'));
after(() => rmSync(root, { recursive: true }));
const CONFIG = { enabled: 'on', intervalMs: 5, processes: true, folders: [], trigger: false } as const;

export interface Running {
  readonly source: FlightRecorderSource;
  readonly events: EventInput[];
  /** What is known of the ranks here, as the source of processes reports it. */
  ranksHere(): Promise<readonly Discovery[]>;
  until(wanted: () => boolean): Promise<true>;
}

export function start(
  folders: readonly string[],
  proc: string,
  more: Partial<FlightRecorderOptions> = {},
  settings: Partial<FlightRecorderSettings> = {},
): Running {
  const events: EventInput[] = [];
  const identity = lookingAt(more.identity ?? knowing([]), proc);
  const source = new FlightRecorderSource(
    { ...CONFIG, folders: folders.map((path) => ({ path, pattern: '*', job: 'llama' })), ...settings },
    {
      host: 'node-3',
      now: Date.now,
      program: nativePath('faultline-fr'),
      standard: [],
      graceMs: 0,
      ...more,
      identity,
    },
  );
  const emit = {
    samples() {},
    text() {},
    event: (event: EventInput) => events.push(event),
    discovery() {},
  };
  source.start(emit, new AbortController().signal);
  const ranksHere = async () => {
    await identity.processes.look();
    const found = workDiscoveries(identity.work.fresh(), 'node-3', () => null);
    return found.filter(({ component }) => component.type === 'rank');
  };
  return { source, events, ranksHere, until };
}

export function job(kind: CaseKind, seed = 1): { folder: string; culprits: readonly number[] } {
  const made = makeCase(kind, seed);
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of made.files) writeFileSync(join(folder, name), bytes);
  return { folder, culprits: made.culprits };
}

export function procOf(ranks: readonly number[], folder: string, ...more: string[]): string {
  const proc = mkdtempSync(join(root, 'proc-'));
  for (const [index, rank] of ranks.entries()) {
    mkdirSync(join(proc, `${100 + index}`));
    const lines = [`RANK=${rank}`, 'WORLD_SIZE=16', `LOCAL_RANK=${index}`, 'SLURM_JOB_ID=981', `TORCH_FR_DUMP_TEMP_FILE=${folder}/nccl_trace_rank_`, ...more]; // biome-ignore format: one line
    // The same mount namespace as ours, which this fake does not say: its root is then asked for.
    mkdirSync(join(proc, `${100 + index}`, 'root'));
    writeFileSync(join(proc, `${100 + index}`, 'environ'), `${lines.join('\0')}\0`);
  }
  return proc;
}

/** As if the ranks saw the same file systems as we do. */
export function shareFiles(proc: string, ranks: number): void {
  for (const at of ['self', ...Array.from({ length: ranks }, (_, index) => `${100 + index}`)]) {
    mkdirSync(join(proc, at, 'ns'), { recursive: true });
    symlinkSync('mnt:[1]', join(proc, at, 'ns/mnt'));
  }
}

/** All ranks of the job are configured to run here. */
export const ALL_HERE = [{ job: 'llama', ranks: [...Array(16).keys()] }];

export const ranksOf = (events: readonly EventInput[], kind: string): string[] =>
  events.filter((event) => event.kind === kind).map(({ component }) => `${component?.type}/${component?.id}`).sort(); // biome-ignore format: one line
