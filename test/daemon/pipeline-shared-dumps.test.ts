// A shared folder with the dumps of a job that has no rank on this host: one incident, few revisions, a small log.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { wholeIncidentToDocument } from '../../src/model/documents/incident.ts';
import type { Incident } from '../../src/model/incident.ts';
import { native, nativePath } from '../../src/native.ts';
import { FlightRecorderSource } from '../../src/sources/flight-recorder/flight-recorder-source.ts';
import { knowing } from '../identity/knowing.ts';
import { type CaseKind, makeCase } from '../native-fr/generator/cases.ts';
import { until } from '../until.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-shared-dumps-'));
const cores: { close(): void }[] = [];
after(() => {
  rmSync(root, { recursive: true });
  for (const core of cores) core.close();
});

/** Ten minutes after the operations of the made dumps began, and some seconds. */
const DUMPED_MS = Date.UTC(2026, 10, 28, 1, 16, 50);

/** Dumps come in two halves, as from two hosts, and are copied once more; `ranks`: those that are configured to run here. */
async function incidentsOf(kind: CaseKind, ranks: readonly number[]): Promise<readonly Incident[]> {
  const folder = mkdtempSync(join(root, 'job-'));
  const { files } = makeCase(kind, 1);
  const startMs = Date.now();
  const now = (): number => DUMPED_MS + Date.now() - startMs;
  const write = (some: typeof files): void => {
    for (const { name, bytes } of some) {
      writeFileSync(join(folder, name), bytes);
      utimesSync(join(folder, name), now() / 1000, now() / 1000);
    }
  };
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
  cores.push(core);
  const incidents: Incident[] = [];
  const pipeline = new Pipeline({
    host: 'node-9',
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [],
    now,
    onEvent() {},
    onIncident: (incident) => incidents.push(incident),
  });
  const config = { enabled: 'on', intervalMs: 5, processes: false, folders: [{ path: folder, pattern: '*', job: 'llama' }], trigger: false } as const; // biome-ignore format: one line
  const source = new FlightRecorderSource(config, {
    host: 'node-9',
    now,
    program: nativePath('faultline-fr'),
    identity: knowing(ranks.length === 0 ? [] : [{ job: 'llama', ranks }]),
    standard: [],
    graceMs: 0,
  });
  const ticks = setInterval(() => pipeline.advance(now()), 20);
  const reads = (more: number) =>
    until(() => (source.counts()[0]?.reads ?? 0) >= more, { what: `${more} reads`, seen: () => source.health() });
  const half = ranks.length === 0 ? files.length >> 1 : 0;
  write(files.slice(half));
  source.start(pipeline, new AbortController().signal);
  await reads(1);
  write(files);
  await reads(2);
  for (let again = 1; again <= 3; again += 1) {
    write(files);
    await reads(2 + again);
  }
  await source.stop();
  clearInterval(ticks);
  pipeline.advance(now() + 2000);
  pipeline.finish();
  return incidents;
}

for (const kind of ['not_joined', 'silent_rank', 'mismatch_dtype', 'cascade'] as const) {
  test(`${kind}: ranks that run elsewhere are reported once, as the job's`, async () => {
    const incidents = await incidentsOf(kind, []);
    assert.equal(new Set(incidents.map(({ id }) => id)).size, 1, incidents.map(({ title }) => title).join('; '));
    assert.ok(incidents.length <= 6, `${incidents.length} revisions`);
    const bytes = incidents.reduce((sum, one) => sum + JSON.stringify(wholeIncidentToDocument(one)).length, 0);
    assert.ok(bytes <= 100_000, `${bytes} bytes`);
    for (const { chain, title } of incidents) {
      assert.ok(chain.every(({ component }) => component?.type === 'job'));
      assert.match(title, /unconfirmed/i);
    }
  });
}

test('of a job whose ranks run here one analysis is few revisions', async () => {
  const incidents = await incidentsOf('not_joined', [...Array(16).keys()]);
  assert.equal(new Set(incidents.map(({ id }) => id)).size, 1);
  assert.ok(incidents.length <= 10, `${incidents.length} revisions`);
});
