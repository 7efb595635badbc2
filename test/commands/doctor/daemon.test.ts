// What doctor says of the daemon: one that runs, one in trouble, one that hangs, none.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../../src/api/api-server.ts';
import { seeDaemon } from '../../../src/commands/doctor/daemon.ts';
import { TestBackend, temporaryFolder } from '../../api/helpers.ts';

const NOW = Date.UTC(2026, 10, 27, 14, 32, 10);

function at(runtime: string) {
  return { roots: { proc: '/proc', sys: '/sys' }, directories: { state: runtime, log: runtime, runtime } };
}

test('one that runs is shown with pid, start and version, and that its rights are its own', async (t) => {
  const runtime = temporaryFolder();
  const backend = new TestBackend();
  backend.status = () => ({
    pid: process.pid,
    uptime_s: 10,
    version: '0.1.0',
    log: { written: 1, trouble: null },
    sources: [{ source: 'gpu', status: 'works', detail: '8 GPUs', remedy: null }, { source: 7 }, null],
    sinks: [
      { sink: 'otlp', status: 'failing', detail: 'no answer' },
      { sink: 'x', status: 'odd' },
    ],
  });
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const own = process.geteuid?.() ?? 0;
  const seen = await seeDaemon(at(runtime), own + 1, NOW);
  assert.deepEqual(seen, {
    state: 'runs',
    pid: process.pid,
    since: '2026-11-27T14:32:00Z',
    version: '0.1.0',
    log_trouble: null,
    state_trouble: [],
    wall_clock_ahead_s: null,
    sources: [{ source: 'gpu', status: 'works', detail: '8 GPUs', remedy: null }],
    sinks: [{ sink: 'otlp', status: 'failing', detail: 'no answer' }],
    config: null,
    shadow: null,
    lines: [
      `runs since 2026-11-27T14:32:00Z: pid ${process.pid}, version 0.1.0; as uid ${own}, not ${own + 1}. The table is what it sees`,
    ],
  });
  assert.match((await seeDaemon(at(runtime), own, NOW)).lines[0] ?? '', /; as this user\. The table is what it sees$/);
});

test('a file of what it remembers that is damaged, or cannot be written, has a line of its own', async (t) => {
  const runtime = temporaryFolder();
  const backend = new TestBackend();
  const files = [
    { file: 'plans.json', unwritten: '/state/plans.json: ENOSPC', damaged: null },
    { file: 'repeats.json', unwritten: null, damaged: '/state/repeats.json is damaged; it is kept as repeats.json.damaged' },
    { file: 'inventory.json', unwritten: null, damaged: null },
    { file: 7, unwritten: 'x' },
    null,
  ]; // biome-ignore format: a table
  backend.status = () => ({ pid: 1, uptime_s: 1, version: '0.1.0', state: { directory: '/state', files } });
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const { state_trouble, lines } = await seeDaemon(at(runtime));
  assert.deepEqual(state_trouble, files.slice(0, 2));
  assert.deepEqual(lines.slice(1), [
    'what it remembers is lost with a restart (FL1208): /state/plans.json: ENOSPC',
    'what earlier runs remembered is lost (FL1209): /state/repeats.json is damaged; it is kept as repeats.json.damaged',
  ]);
});

test('trouble of its log has a line of its own', async (t) => {
  const runtime = temporaryFolder();
  const backend = new TestBackend();
  const trouble = 'FL3101 ENOSPC /var/log/faultline/incidents.jsonl';
  backend.status = () => ({ pid: 1, uptime_s: 1, version: '0.1.0', log: { trouble } });
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const { log_trouble, lines } = await seeDaemon(at(runtime));
  assert.deepEqual([log_trouble, lines[1]], [trouble, `its incident log is not written: ${trouble}`]);
});

test('an answer of another shape is still a daemon', async (t) => {
  const runtime = temporaryFolder();
  const backend = new TestBackend();
  backend.status = () => ({ pid: 'x', uptime_s: -1, log: [] });
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const { state, pid, since, sources, lines } = await seeDaemon(at(runtime));
  assert.deepEqual([state, pid, since, sources], ['runs', null, null, null]);
  assert.match(lines[0] ?? '', /The table is what this user can read, for it does not report what it sees$/);
});

test('one that hangs is not waited for long, and reported', async (t) => {
  const runtime = temporaryFolder();
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(join(runtime, 'faultline.sock'), resolve));
  t.after(() => silent.close());
  const { state, lines } = await seeDaemon(at(runtime));
  assert.equal(state, 'unknown');
  assert.match(lines.join(), /^FL1205 the daemon on .* does not answer within 0\.5 s/);
});

test('a clock that was set since the start is reported, either way; a few milliseconds are not', async (t) => {
  for (const [ahead, line] of [
    [-3600.25, /^the clock was set back by 3600\.3 s since it started .*until it is started again$/],
    [90, /^the clock was set forward by 90\.0 s since it started /],
    [0.004, null],
    ['x', null],
  ] as const) {
    const runtime = temporaryFolder();
    const backend = new TestBackend();
    backend.status = () => ({ pid: 1, uptime_s: 1, version: '0.1.0', wall_clock_ahead_s: ahead });
    const api = await startApi(backend, runtime);
    t.after(() => api.close());
    const { lines } = await seeDaemon(at(runtime));
    assert.equal(lines.length, line === null ? 1 : 2);
    if (line !== null) assert.match(lines[1] ?? '', line);
  }
});
