// A GPU falls off the bus and its rank never joins: kernel line and dumps are one incident with the GPU as its root.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { rankDiscovery } from '../../src/identity/rank/links.ts';
import type { Component } from '../../src/model/component.ts';
import type { Incident } from '../../src/model/incident.ts';
import { native, nativePath } from '../../src/native.ts';
import { readDumps } from '../../src/sources/flight-recorder/dumps/reader-child.ts';
import { verdictEvents } from '../../src/sources/flight-recorder/dumps/verdict-events.ts';
import { type CaseKind, makeCase } from '../native-fr/generator/cases.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-line-dumps-'));
const cores: { close(): void }[] = [];
after(() => {
  rmSync(root, { recursive: true });
  for (const core of cores) core.close();
});
const HOST = 'node-3';
const LOCAL = [0, 1, 2, 3, 4, 5, 6, 7];
const gpu = (index: number): Component => ({
  type: 'gpu',
  id: `0000:${(0x1b + index * 16).toString(16)}:00.0`,
  host: HOST,
});

/** Dumps of 16 ranks of which one did not join; eight of them run here. `placed`: which GPU runs which rank is known. */
async function incidentsOf(options: {
  placed: boolean;
  xid: number | null;
  local: boolean;
  /** A line of the kernel log, two seconds before; then the rank leaves no dump. */
  killed?: string;
  kind?: CaseKind;
}) {
  const kind = options.kind ?? (options.killed === undefined ? 'not_joined' : 'silent_rank');
  let seed = 1;
  while (LOCAL.includes(makeCase(kind, seed).culprits[0] ?? 0) !== options.local) seed += 1;
  const made = makeCase(kind, seed);
  const [culprit = 0] = made.culprits;
  const paths = made.files.map(({ name, bytes }) => {
    const path = join(mkdtempSync(join(root, 'd-')), name);
    writeFileSync(path, bytes);
    return path;
  });
  const { document } = await readDumps(paths, new AbortController().signal, { program: nativePath('faultline-fr') });
  const sinceMs = Date.parse(document.verdicts[0]?.since ?? '');
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
  cores.push(core);
  const incidents: Incident[] = [];
  const clock = { now: sinceMs - 60_000 };
  const pipeline = new Pipeline({
    host: HOST,
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [],
    now: () => clock.now,
    onEvent() {},
    onIncident: (incident) => incidents.push(incident),
  });
  for (const rank of LOCAL) {
    const link = { from: { type: 'host', id: HOST }, to: gpu(rank), relation: 'contains', source: 'host' } as const;
    pipeline.discovery({ component: gpu(rank), links: [link] });
    pipeline.discovery(rankDiscovery('llama', rank, HOST, options.placed ? gpu(rank) : null, ''));
  }
  const lost = options.xid === null ? undefined : `NVRM: Xid (PCI:${gpu(options.xid).id.slice(0, -2)}): 79, pid=4711, name=python, GPU has fallen off the bus.`; // biome-ignore format: one line
  const text = lost ?? options.killed;
  if (text !== undefined) {
    clock.now = sinceMs - 2000;
    const attributes = { priority: 3, facility: 0 };
    pipeline.text({ source: 'kernel-log', trust: 'kernel', stream: '/dev/kmsg', position: 1, timeMs: clock.now, timeDigits: 6, observedMs: clock.now, text, attributes }); // biome-ignore format: one record
  }
  for (let at = sinceMs; at < sinceMs + 610_000; at += 5000) {
    clock.now = at;
    pipeline.advance(at);
  }
  const newestMs = sinceMs + 600_000;
  const context = { job: 'llama', host: HOST, localRanks: new Set(LOCAL), newestMs, nowMs: clock.now };
  for (const event of verdictEvents(document, context)) pipeline.event(event);
  clock.now += 60_000;
  pipeline.advance(clock.now);
  const last = new Map(incidents.map((incident) => [incident.id, incident]));
  return { culprit, incidents: [...last.values()].filter(({ mergedInto }) => mergedInto === null) };
}

test('XID 79 and a rank that never joined: the root is that GPU, and the chain names the rank', async () => {
  const culprit = (await incidentsOf({ placed: true, xid: null, local: true })).culprit;
  const { incidents } = await incidentsOf({ placed: true, xid: culprit, local: true });
  assert.equal(incidents.length, 1);
  const [incident] = incidents;
  assert.deepEqual([incident?.root.kind, incident?.root.component?.id], ['gpu.lost', gpu(culprit).id]);
  const desync = incident?.chain.find(({ kind }) => kind === 'job.collective_desync');
  assert.equal(desync?.component?.id, `llama/${culprit}`);
  assert.ok(incident?.chain.some(({ kind }) => kind === 'job.collective_timeout'));
  const fromDumps = incident?.evidence.filter(({ source }) => source === 'flight-recorder');
  assert.match(JSON.stringify(fromDumps), new RegExp(`rank ${culprit} did not enter`));
});

test('XID 79 on a GPU that runs another rank is still the root, as the job waits for both', async () => {
  const { culprit } = await incidentsOf({ placed: true, xid: null, local: true });
  const other = LOCAL.find((rank) => rank !== culprit) ?? 0;
  const { incidents } = await incidentsOf({ placed: true, xid: other, local: true });
  assert.equal(incidents[0]?.root.kind, 'gpu.lost');
});

test('which GPU runs which rank need not be known: the GPU is the root all the same, and the rank is named', async () => {
  const { culprit } = await incidentsOf({ placed: true, xid: null, local: true });
  const { incidents } = await incidentsOf({ placed: false, xid: culprit, local: true });
  assert.deepEqual(
    incidents.map(({ root: { kind, component } }) => [kind, component?.id]),
    [['gpu.lost', gpu(culprit).id]],
  );
  assert.ok(incidents[0]?.chain.some(({ component }) => component?.id === `llama/${culprit}`));
});

test('the out-of-memory killer took a process and its rank left no dump: the kernel says why, the dumps say who', async () => {
  const killed =
    'Out of memory: Killed process 4711 (python) total-vm:912345kB, anon-rss:812345kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:1800kB oom_score_adj:0';
  const { culprit, incidents } = await incidentsOf({ placed: true, xid: null, local: true, killed });
  assert.deepEqual(
    incidents.map(({ root: { kind, component } }) => [kind, component?.host ?? component?.id]),
    [['host.oom', HOST]],
  );
  const desync = incidents[0]?.chain.find(({ kind }) => kind === 'job.collective_desync');
  assert.equal(desync?.component?.id, `llama/${culprit}`);
});

test('dumps alone make one incident that names the rank, at most 60 % sure, and ask nothing of the node', async () => {
  const { culprit, incidents } = await incidentsOf({ placed: true, xid: null, local: true });
  assert.equal(incidents.length, 1);
  const [incident] = incidents;
  assert.deepEqual([incident?.root.kind, incident?.root.component?.id], ['job.collective_desync', `llama/${culprit}`]);
  assert.ok((incident?.confidence ?? 1) <= 0.6);
});

test('a rank of another host is named by the job, and no GPU of this host is blamed for it', async () => {
  const { culprit, incidents } = await incidentsOf({ placed: true, xid: null, local: false });
  assert.equal(incidents.length, 1);
  assert.deepEqual([incidents[0]?.root.kind, incidents[0]?.root.component?.type], ['job.collective_desync', 'job']);
  assert.ok(!LOCAL.includes(culprit));
  assert.match(JSON.stringify(incidents[0]?.evidence), new RegExp(`rank ${culprit} did not enter`));
});

test('one cause that shows at two ranks is one incident, which names both', async () => {
  const { incidents } = await incidentsOf({ placed: true, xid: null, local: true, kind: 'p2p_skipped' });
  assert.deepEqual(
    incidents.map(({ root: { kind, component } }) => [kind, component?.type, component?.id]),
    [['job.collective_desync', 'job', 'llama']],
  );
  assert.match(incidents[0]?.title ?? '', /rank \d+, \d+ left without its other side/);
});

test('a GPU that fell off the bus is the root of what shows at two ranks of its job', async () => {
  const { culprit } = await incidentsOf({ placed: true, xid: null, local: true, kind: 'p2p_skipped' });
  const { incidents } = await incidentsOf({ placed: true, xid: culprit, local: true, kind: 'p2p_skipped' });
  assert.deepEqual(
    incidents.map(({ root: { kind, component } }) => [kind, component?.id]),
    [['gpu.lost', gpu(culprit).id]],
  );
});

test('a rank that left no dump is named, also one of another host that dumps into the same folder', async () => {
  for (const local of [true, false]) {
    const { culprit, incidents } = await incidentsOf({ placed: true, xid: null, local, kind: 'silent_rank' });
    assert.equal(incidents.length, 1);
    assert.equal(incidents[0]?.root.kind, 'job.collective_desync');
    assert.match(incidents[0]?.title ?? '', new RegExp(`rank ${culprit}:? left no dump`));
  }
});
