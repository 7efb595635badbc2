// An acting sink on a folder and a clock of its own, and an incident that it may act on.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Incident } from '../../../src/model/incident.ts';
import type { StageReport } from '../../../src/model/stage.ts';
import { type ActingOptions, ActingSink } from '../../../src/sinks/acting/acting-sink.ts';
import type { SinkContext } from '../../../src/sinks/define-sink.ts';
import { event, gpu, incident, link, T0 } from '../../incidents/sample.ts';
import { until } from '../../until.ts';
import { sinkContext } from '../context.ts';

export const UUID = 'GPU-01234567-89ab-cdef-0123-456789abcdef';
export const GPU = { ...gpu(2), aliases: [UUID] };
export const HOST = { type: 'host', id: 'node-3' } as const;

/** A GPU that is lost, as sure as it can be. */
export function lost(more: Partial<Incident> = {}): Incident {
  const root = event('e-lost', 'gpu.lost', GPU, { trust: 'kernel' });
  return {
    ...incident('7f3c41d2a0b1'),
    title: 'GPU fell off the bus',
    severity: 'critical',
    confidence: 0.97,
    unconfirmed: null,
    rootKnown: true,
    root: { eventId: root.id, kind: root.kind, component: GPU },
    chain: [link(root)],
    events: [root],
    action: { kind: 'drain_reset_gpu', target: GPU, why: 'it is lost' },
    openedMs: T0,
    updatedMs: T0 + 1,
    ...more,
  };
}

const BASE: ActingOptions = {
  dryRun: false,
  rules: [{ action: 'taint', kinds: ['gpu.lost'], hosts: ['node-*'] }],
  minConfidence: 0.85,
  settleMs: 60_000,
  stopFile: null,
  takeBack: { on: false, verifiedMs: 1_800_000 },
  breaker: { maxNodes: 1, maxShare: 1, storm: 4, stormMs: 600_000, actionsADay: 4 },
  kubernetes: { taint: 'faultline.dev/fault', effect: 'NoSchedule', condition: 'FaultlineFault', url: null, caFile: null, tokenFile: null, node: 'node-3' },
  slurm: { programs: '/nowhere', conf: null, node: 'n1' },
  resetProgram: '/nowhere/nvidia-smi',
  rebootProgram: '/nowhere/systemctl',
}; // biome-ignore format: one record

export interface Acting {
  readonly sink: ActingSink;
  readonly folder: string;
  readonly reports: StageReport[];
  /** What the record has: step and why. */
  audit(): string[];
  /** Time passes, and what is due is done. */
  pass(ms: number): Promise<void>;
}

export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-acting-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function actingWith(t: TestContext, options: Partial<ActingOptions> = {}, more: Partial<SinkContext> = {}): Acting {
  const folder = temporary(t);
  let nowMs = T0 + 1000;
  const reports: StageReport[] = [];
  const context = sinkContext(folder, { now: () => nowMs, acted: (report) => void reports.push(report), ...more });
  const sink = new ActingSink({ ...BASE, ...options }, context);
  const abort = new AbortController();
  t.mock.timers.reset(); // another run of the same test may be before
  t.mock.timers.enable({ apis: ['setInterval'] });
  sink.start(abort.signal);
  t.after(() => sink.stop());
  const path = join(folder, 'acting.jsonl');
  return {
    sink,
    folder,
    reports,
    audit() {
      try {
        const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
        return lines.map((line) => JSON.parse(line) as { step: string; type: string | null }).map(({ step, type }) => (type === null ? step : `${step} ${type}`)); // biome-ignore format: one chain
      } catch {
        return [];
      }
    },
    async pass(ms) {
      nowMs += ms;
      t.mock.timers.tick(5_000);
      await until(() => !sink.busy);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
} // biome-ignore format: signature
