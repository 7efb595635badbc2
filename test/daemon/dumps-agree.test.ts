// Daemon and `fr` agree: of every kind of stall the incidents of the daemon name the ranks that `faultline fr` names, and no other.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { rankDiscovery } from '../../src/identity/rank/links.ts';
import type { Incident } from '../../src/model/incident.ts';
import { native, nativePath } from '../../src/native.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { readDumps } from '../../src/sources/flight-recorder/dumps/reader-child.ts';
import { verdictEvents } from '../../src/sources/flight-recorder/dumps/verdict-events.ts';
import { KINDS, makeCase } from '../native-fr/generator/cases.ts';

const HOST = 'node-3';
const SIZE = 8;
const LOCAL = Array.from({ length: SIZE }, (_, rank) => rank);
const WHO = new Set(['job.collective_desync', 'job.collective_mismatch']);
const root = mkdtempSync(join(tmpdir(), 'fl-agree-'));
const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
after(() => {
  core.close();
  rmSync(root, { recursive: true });
});

/** Ranks that the daemon's incidents accuse of the stall. */
async function accused(paths: readonly string[]): Promise<number[]> {
  const { document } = await readDumps(paths, new AbortController().signal, { program: nativePath('faultline-fr') });
  const sinceMs = Math.min(...document.verdicts.map(({ since }) => Date.parse(since ?? '')).filter(Number.isFinite));
  let nowMs = Number.isFinite(sinceMs) ? sinceMs + 600_000 : 1_790_000_000_000;
  const incidents = new Map<string, Incident>();
  const pipeline = new Pipeline({
    host: HOST,
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [],
    now: () => nowMs,
    onEvent() {},
    onIncident: (incident) => incidents.set(incident.id, incident),
  });
  for (const rank of LOCAL) pipeline.discovery(rankDiscovery('llama', rank, HOST, null, ''));
  const context = { job: 'llama', host: HOST, localRanks: new Set(LOCAL), newestMs: nowMs, nowMs };
  for (const event of verdictEvents(document, context)) pipeline.event(event);
  nowMs += 60_000;
  pipeline.advance(nowMs);
  const ranks = [...incidents.values()]
    .filter(({ mergedInto }) => mergedInto === null)
    .flatMap(({ events }) => events)
    .filter(({ kind }) => WHO.has(kind))
    .flatMap(({ attributes: { rank, ranks: several } }) => String(rank ?? several).split(', ').map(Number)); // biome-ignore format: one line
  return [...new Set(ranks)].sort((a, b) => a - b);
}

test('daemon and fr agree: the same ranks are named for every kind of stall', async () => {
  const named = new Set<string>();
  for (const kind of KINDS) {
    const folder = mkdtempSync(join(root, `${kind}-`));
    const paths = makeCase(kind, 3, SIZE).files.map(({ name, bytes }) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    });
    const { culprits } = await analyseFlightRecorder([folder]);
    const ranks = culprits.map(({ rank }) => rank).sort((a, b) => a - b);
    assert.deepEqual(await accused(paths), ranks, kind);
    if (ranks.length > 0) named.add(kind);
  }
  assert.ok(named.size >= 20, [...named].join());
});
