// One short sag on a simulated rack, watched by the real daemon that exports to the real collector; and how their times compare.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativePath } from '../../src/native.ts';
import { demoConfig } from '../../src/simulator/demo-config.ts';
import { startPdu } from '../../src/simulator/rack/pdu.ts';
import { Rack } from '../../src/simulator/rack/rack.ts';
import { loadScenario } from '../../src/simulator/scenario/load.ts';
import { RealClock } from '../../src/simulator/scenario-clock.ts';
import { CollectorUnderTest } from '../otlp-collector/collector-under-test.ts';
import type { Fields, LogRecord, Point, Span } from '../sinks/otlp/otlp-proto.ts';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

/** OTLP's times have more digits than a number of milliseconds holds. */
export const ROUNDING_MS = 0.002;

const RACK_SOURCES = ['gpu', 'cpu', 'kernel-log', 'pdu', 'bmc', 'job-log'];

/** To be closed in the opposite order. */
export interface Closing {
  close(): Promise<void>;
}

export interface Run {
  readonly daemon: DaemonUnderTest;
  /** All revisions, oldest first, and the last one. */
  readonly revisions: readonly Json[];
  readonly incident: Json;
  readonly events: readonly Json[];
  /** By series key: what the recording has of it, time to value. */
  readonly recorded: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly points: readonly Point[];
  readonly records: readonly LogRecord[];
  readonly spans: readonly Span[];
  readonly resources: readonly Fields[];
}

/** The short sag against the real daemon, which exports to the real collector over gRPC. */
export async function shortSag(closing: Closing[]): Promise<Run> {
  const collector = await CollectorUnderTest.started();
  const daemon = new DaemonUnderTest();
  const clock = new RealClock();
  const plan = loadScenario(join(import.meta.dirname, 'short-sag.yaml'), 0);
  const folder = join(daemon.folder, 'rack');
  mkdirSync(folder);
  const rack = await Rack.start({ folder, plan, clock, library: nativePath('libnvidia-ml.so.1'), startPdu });
  closing.push(collector, daemon, { close: () => rack.stop() });
  writeFileSync(
    join(daemon.folder, 'faultline.yaml'),
    `${demoConfig(plan, rack.places, daemon.folder)}
correlation: {hold: 4s, lateness: 5s}
record: {path: "${daemon.recording}"}
otlp: {endpoint: "${collector.grpc}", metrics: {interval: 2s}, resource_attributes: "k8s.node.name=node-3"}
`,
  );
  const child = await daemon.start();
  await daemon.until('every source of the rack works', async () => {
    const sources = ((await daemon.status())?.sources ?? []) as Json[]; // contracts' status
    const works = sources.filter((one) => one.status === 'works').map(({ source }) => String(source));
    return RACK_SOURCES.every((name) => works.some((source) => source.startsWith(name)));
  });
  rack.play();
  const resolved = () => daemon.logged('incident').find(({ state }) => state === 'resolved');
  const last = await daemon.until('the incident is resolved', resolved, 90_000);
  await daemon.until('the span of the incident arrives', () => {
    return collector.spans().find(({ name, traceId }) => name.startsWith('incident/') && traceId === last.trace_id);
  });
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
  const revisions = daemon.logged('incident');
  return {
    daemon,
    revisions,
    incident: revisions.at(-1) ?? {},
    events: daemon.logged('event'),
    recorded: recordedSeries(readFileSync(daemon.recording, 'utf8')),
    points: collector.points(),
    records: collector.records(),
    spans: collector.spans(),
    resources: collector.resources(),
  };
}

function recordedSeries(text: string): Map<string, Map<number, number>> {
  const series = new Map<string, Map<number, number>>();
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = JSON.parse(line) as { samples?: Batch; background?: Batch };
    const { keys = [], timesMs = [], values = [] } = entry.samples ?? entry.background ?? {};
    keys.forEach((key, i) => {
      const known = series.get(key) ?? new Map<number, number>();
      series.set(key, known.set(timesMs[i] ?? Number.NaN, values[i] ?? Number.NaN));
    });
  }
  return series;
}

/** As in the recording's format. */
interface Batch {
  readonly keys: readonly string[];
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

export const near = (a: number, b: number, withinMs = ROUNDING_MS): boolean => Math.abs(a - b) <= withinMs;

/** Documents give times with more digits than Date takes: the seconds, and the digits behind them as they are. */
export function timeOf(time: unknown): number {
  const [whole = '', digits = '0'] = String(time).replace('Z', '').split('.');
  return Date.parse(`${whole}Z`) + Number(`0.${digits}`) * 1000;
}

/** Whether a time of OTLP is that of a document, which is cut to the digits that its source has. */
export function isTime(timeMs: number, time: unknown): boolean {
  const digits = /\.(\d+)Z$/.exec(String(time))?.[1]?.length ?? 0;
  return near(timeMs, timeOf(time), Math.max(1000 / 10 ** digits, ROUNDING_MS));
}
