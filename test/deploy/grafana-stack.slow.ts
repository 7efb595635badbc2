// The local stack as it is started by hand: the demo exports into it, and what the dashboards ask is answered by the real programs.
// scripts/test-grafana-stack runs it, in a network of its own; the default tests do not.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { PROGRAM } from '../program.ts';
import { PATIENCE_MS, until } from '../until.ts';
import { dashboards, filled, queries } from './dashboards.ts';

const PROMETHEUS = 'http://127.0.0.1:9090/api/v1/';
const JAEGER = 'http://127.0.0.1:16686/api/';
/** What the demo's rack must show on a panel; of the others only that Prometheus takes them. */
const ANSWERED = [
  'Voltage of the feed',
  'Power of GPUs',
  'Step time',
  'Incidents open',
  'Events by kind',
  'annotations',
];
const folder = mkdtempSync(join(tmpdir(), 'faultline-stack-test-'));
const children: ChildProcess[] = [];
let said = '';

async function json<T>(url: string): Promise<T> {
  const response = await fetch(url);
  const body = await response.text();
  assert.equal(response.status, 200, `${url}: ${body}`);
  return JSON.parse(body) as T; // as the programs' own documents have it
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

async function range(expression: string): Promise<readonly Series[]> {
  const end = Date.now() / 1000;
  const words = new URLSearchParams({ query: expression, start: `${end - 300}`, end: `${end}`, step: '5' });
  return (await json<{ data: { result: Series[] } }>(`${PROMETHEUS}query_range?${words}`)).data.result;
}

interface Trace {
  readonly traceID: string;
  readonly spans: readonly { readonly operationName: string }[];
}

async function traces(tags: Readonly<Record<string, string>>): Promise<readonly Trace[]> {
  const words = new URLSearchParams({ service: 'faultline', limit: '200', tags: JSON.stringify(tags) });
  return (await json<{ data: Trace[] }>(`${JAEGER}traces?${words}`)).data;
}

const demoEnded = () => children.at(-1)?.exitCode !== null;

before(async () => {
  const stack = spawn(join(installationRoot(), 'scripts/grafana-stack'), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  children.push(stack);
  stack.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(() => said.includes('Try it'), { what: 'the stack to start' });
  const words = [PROGRAM, 'demo', '--export', 'http://127.0.0.1:4317'];
  children.push(spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] }));
  await until(demoEnded, { what: 'the end of the demo', limitMs: 2 * PATIENCE_MS });
});
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('every query of the dashboards is taken, and what the rack shows is answered', async () => {
  const waiting = new Set(ANSWERED);
  await until(
    async () => {
      for (const { where, expr } of dashboards().flatMap(queries)) {
        if ((await range(filled(expr))).length > 0) waiting.delete(where.slice(where.indexOf(': ') + 2));
      }
      return waiting.size === 0;
    },
    { what: 'answers', seen: () => [...waiting] },
  );
});

test('an incident is one annotation, whose value is its opening in milliseconds', async () => {
  const marks = await range('faultline_incident_opened_seconds * 1000');
  assert.equal(marks.length, 1, JSON.stringify(marks));
  const [{ metric, values }] = marks as [Series];
  assert.equal(metric.kind, 'power.voltage_sag');
  assert.equal(new Set(values.map(([, value]) => value)).size, 1, 'Grafana marks each value once');
  assert.ok(Math.abs(Date.now() - Number(values[0]?.[1])) < 300_000);
});

test('what was done about the incident is found by Jaeger under its id, and its trace by that of a span', async () => {
  const [mark] = await range('faultline_incident_opened_seconds');
  const found = await traces({ 'faultline.incident.id': mark?.metric.incident ?? '' });
  const names = found.flatMap(({ spans }) => spans.map(({ operationName }) => operationName));
  assert.ok(names.length > 0, 'no span of the incident');
  for (const name of names) assert.match(name, /^[A-Z][A-Za-z]+\/[A-Z][A-Za-z]+$/);
  const [{ traceID }] = found as [Trace];
  const { data } = await json<{ data: Trace[] }>(`${JAEGER}traces/${traceID}`);
  assert.equal(data[0]?.traceID, traceID);
});

test('it ends at once and keeps nothing', async () => {
  const [stack] = children as [ChildProcess];
  stack.kill('SIGINT');
  await until(() => stack.exitCode !== null, { what: 'the end of the stack' });
  assert.equal(stack.exitCode, 0);
  assert.deepEqual(readdirSync(folder), []);
});
