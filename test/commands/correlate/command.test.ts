// faultline correlate as its process prints it: forms, and files that cannot be used.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { installationRoot } from '../../../src/native.ts';
import { faultline, type Outcome } from '../run-cli.ts';

const at = (s: number, zone = 'Z'): string =>
  `2024-01-15T14:3${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}.250${zone}`;
const EVENT = { id: 'e1', timestamp: at(28), source: 'pdu_snmp', type: 'voltage_sag', severity: 'critical', device_id: 'pdu', raw_message: 'low' }; // biome-ignore format: one record
const point = (s: number, p99: unknown) => ({ service_name: 'api', timestamp: at(s), p50_latency_ms: 1, p95_latency_ms: 2, p99_latency_ms: p99, error_rate_percent: 0.1, throughput_rps: '100' }); // biome-ignore format: one record
const FILES = {
  events: { events: [EVENT] },
  traces: { service_metrics: [point(0, 100), point(10, 100), point(20, 100), point(30, 300), point(40, 320)] },
  topology: {
    mappings: [
      { physical_device_id: 'pdu', feeds: ['host'] },
      { physical_device_id: 'host', services: ['api'] },
    ],
  },
};

function run(t: TestContext, files: Partial<Record<keyof typeof FILES, unknown>>, ...more: string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-correlate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const words = Object.entries({ ...FILES, ...files }).flatMap(([name, content]) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return [`--${name}`, path];
  });
  return faultline(['correlate', ...words, ...more]);
}

test("5: --scorer powertrace prints PowerTrace's report, times in UTC with their milliseconds", async (t) => {
  const events = { events: [{ ...EVENT, timestamp: at(28, '+05:30').replace('T14:3', 'T20:0') }] };
  const { status, stdout, stderr } = await run(t, { events }, '--scorer', 'powertrace', '--output', 'json');
  assert.deepEqual([status, stderr], [0, '']);
  const { report } = JSON.parse(stdout);
  assert.deepEqual(Object.keys(report), ['generated_at', 'incidents', 'summary']);
  const [incident] = report.incidents;
  assert.deepEqual(
    [
      incident.window_start,
      incident.duration_seconds,
      incident.causal_chain.map((step: { caused_by: string | null }) => step.caused_by),
    ],
    ['2024-01-15T14:30:28.250Z', 12, [null, 'e1']],
  );
});

test('by default an incident is explained by the graph of causes', async (t) => {
  const { status, stdout } = await run(t, {});
  assert.equal(status, 0);
  assert.match(stdout, /voltage sag on pdu/);
  const json = JSON.parse((await run(t, {}, '--output', 'json')).stdout);
  assert.equal(json.schema, 'faultline/correlate/1');
  assert.ok(json.events.length >= 2);
  // 5: as the file has it, in UTC.
  assert.ok(json.events.some(({ time }: { time: string }) => time === '2024-01-15T14:30:28.250Z'));
});

test('as Markdown an incident has headings and lists, and no text of a file makes one', async (t) => {
  const events = { events: [{ ...EVENT, raw_message: 'low\n# not a heading\n```' }] };
  const { status, stdout, stderr } = await run(t, { events }, '--output', 'markdown');
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^## voltage sag on pdu/);
  assert.match(stdout, /^- \*\*Do:\*\* check the power feed of pdu$/m);
  assert.match(stdout, /^## Undecided .* api p99 latency 100 → 320 ms$/m);
  assert.match(stdout, /^\| 1 \| .* \| root cause \|$/m);
  assert.match(stdout, /correlate --events \S+events\.json --traces \S+traces\.json --topology \S+topology\.json --output json`/); // biome-ignore format: one line
  assert.doesNotMatch(stdout, /^# not a heading|faultline (?:scan|explain) /m);
});

test("what PowerTrace's scorer alone goes by is said to be without effect on another, where it was typed", async (t) => {
  const typed = ['--lag', '60', '--window', '5', '--confidence', '0.6', '--gpu-rate', '3'];
  const own = await run(t, {}, ...typed);
  assert.equal(own.stderr, '--window, --lag, --confidence, --gpu-rate: without effect on --scorer faultline. Add --scorer powertrace, or leave out what is without effect\n'); // biome-ignore format: one line
  assert.equal(own.stdout, (await run(t, {})).stdout);
  assert.equal((await run(t, {}, ...typed, '--scorer', 'powertrace')).stderr, '');
  assert.equal((await run(t, {}, '--baseline', '600')).stderr, '');
});

test('3: to start it loads itself, not the daemon: few modules for the scorers of others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'correlate-modules-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hook = join(folder, 'hook.mjs');
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module';
     const seen = [];
     registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context); } });
     process.on('exit', () => process.stderr.write(seen.join('\\n')));`,
  );
  const words = Object.entries(FILES).flatMap(([name, content]) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return [`--${name}`, join(folder, name)];
  });
  const script = join(installationRoot(), 'src', 'main.ts');
  const args = ['--import', hook, script, 'correlate', ...words, '--scorer', 'powertrace', '--output', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(JSON.parse(stdout).report.incidents.length, 1);
  const modules = stderr.split('\n').filter((url) => url.startsWith('file:'));
  assert.ok(modules.length > 20 && modules.length < 150, `${modules.length}`);
  assert.deepEqual(modules.filter((url) => /\/src\/(?:daemon|correlation|detection)\/|\/catalog\//.test(url)), []); // biome-ignore format: one line
});

test('NaN as Python writes it is read, and a record that cannot be used is named and left out', async (t) => {
  const traces = `{"service_metrics": [${[point(0, 100), point(10, 'X'), point(20, 100)].map((each) => JSON.stringify(each)).join(',').replace('"X"', 'NaN')}, {"service_name": "api", "timestamp": "2024-01-15T14:30:00"}]}`; // biome-ignore format: one file
  const { status, stderr } = await run(t, { traces });
  assert.equal(status, 0);
  assert.match(
    stderr,
    /^FL1502 .*traces\.json: service_metrics\[3\] is left out: p50_latency_ms is missing, a number is wanted\n$/,
  );
  const naive = await run(t, {
    events: { events: [EVENT, { ...EVENT, timestamp: '2024-01-15T14:30:00' }, { ...EVENT, source: 'x' }, 7] },
  });
  assert.match(
    naive.stderr,
    /events\[1\] is left out: timestamp is "2024-01-15T14:30:00", ISO 8601 with a zone is wanted/,
  );
  assert.match(naive.stderr, /events\[2\] is left out: source is "x", one of aws_health/);
  assert.match(naive.stderr, /events\[3\] is left out: the record is 7, an object is wanted/);
});

test('a file that cannot be used ends with status 1 and one line that says why', async (t) => {
  for (const [files, line] of [
    [{ events: '[]' }, /^FL1501 .*events\.json has no JSON object at its top/],
    [{ events: '{' }, /^FL1505 .*events\.json is not JSON/],
    [{ topology: {} }, /^FL1503 .*topology\.json has no "mappings": \{"mappings": \[\.\.\.\]\} is wanted/],
    [{ topology: { mappings: 5 } }, /^FL1503 .*topology\.json has something else than a list as "mappings"/],
    [{ topology: { mappings: [] } }, /^FL1503 .*topology\.json has no record that can be used under "mappings"/],
  ] as const) {
    const { status, stdout, stderr } = await run(t, files);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, line);
  }
  const missing = await faultline(['correlate', '--events', '/nowhere/e', '--traces', 'x', '--topology', 'y']);
  assert.deepEqual([missing.status, /^FL1504 \/nowhere\/e cannot be read/.test(missing.stderr)], [1, true]);
  const wrong = await run(t, {}, '--lag', 'soon');
  assert.equal(wrong.status, 2);
});

test('a FIFO that no program writes to is refused, not waited for', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'correlate-fifo-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const fifo = join(folder, 'events.json');
  execFileSync('mkfifo', [fifo]);
  const { stderr, status } = await faultline(['correlate', '--events', fifo, '--traces', 'x', '--topology', 'y']);
  assert.equal(status, 1);
  assert.match(stderr, /FL1504 .*is a FIFO.*Write it into a file/);
});
