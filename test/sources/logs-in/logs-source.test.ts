// The receiver of log shippers: the very bodies that Fluent Bit and Vector send, whose lines they are, and clear refusals.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Budget } from '../../../src/helpers/http/budget.ts';
import { Turns } from '../../../src/helpers/http/turns.ts';
import type { WorkView } from '../../../src/identity/work/work.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { shipperDoor } from '../../../src/sources/logs-in/door.ts';
import { LogsSource } from '../../../src/sources/logs-in/logs-source.ts';
import { readRecords } from '../../../src/sources/logs-in/read-records.ts';
import { until } from '../../until.ts';

const POD = { namespace: 'ml', name: 'train-0', uid: '2f6c', container: null };
const VIEW = {
  version: 1,
  works: [{ id: 'ml/train', aliases: ['1234'], pods: [POD], ranks: [{ rank: 3, pod: '2f6c' }] }],
  devices: [],
  conflicts: [],
} as unknown as WorkView; // the fields that are looked at

async function start(t: TestContext, linesPerSecond = 5000, now = Date.now) {
  const work = [{ program: 'vllm', job: null, service: 'chat' }];
  const source = new LogsSource(
    { listen: [{ text: '127.0.0.1:0', host: '127.0.0.1', port: 0 }], hosts: [], work, linesPerSecond },
    { host: 'node-3', now, steady: (wallMs) => wallMs, kernel: () => true, view: () => VIEW },
  );
  t.after(() => source.stop());
  const lines: TextRecord[] = [];
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {} }, new AbortController().signal); // biome-ignore format: one line
  const port = await until(() => source.ports[0], { what: 'the port' });
  const post = async (body: string | Buffer, headers: Record<string, string> = {}, path = '/v1/logs') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }); // biome-ignore format: one line
    return [answer.status, (await answer.json()) as { error?: string }] as const;
  };
  return { source, lines, post, port };
}

const DATE = Date.now() / 1000;

test('Fluent Bit: an array of records of containers, by their pod and rank, with the kernel’s between them', async (t) => {
  const { lines, post } = await start(t);
  const kubernetes = {
    pod_name: 'train-0',
    namespace_name: 'ml',
    pod_id: '2f6c',
    host: 'node-3',
    container_name: 'main',
  };
  const [status] = await post(
    JSON.stringify([
      {
        date: DATE,
        time: '2026-11-29T15:00:00.1Z',
        stream: 'stdout',
        _p: 'F',
        log: 'step 7 loss 1.5 lr 0.1\n',
        kubernetes,
      },
      { date: DATE, priority: 4, sequence: 9, sec: 12, usec: 5, msg: 'NVRM: Xid (PCI:0000:9b:00): 79, x' },
      { date: DATE, log: 'of a pod that is not here', kubernetes: { ...kubernetes, pod_id: 'dead' } },
      { date: DATE, log: 'of a pod elsewhere', kubernetes: { ...kubernetes, host: 'node-9' } },
      {
        date: DATE,
        _TRANSPORT: 'kernel',
        SYSLOG_FACILITY: '0',
        PRIORITY: '3',
        MESSAGE: 'of the journal',
        _HOSTNAME: 'node-3',
      },
    ]),
  );
  assert.equal(status, 200);
  assert.deepEqual(
    lines.map(({ text, trust, attributes: { job, writer_rank: rank, facility } }) => [
      text,
      trust,
      job,
      rank,
      facility,
    ]),
    [
      ['step 7 loss 1.5 lr 0.1', 'tenant', 'ml/train', 3, undefined],
      ['NVRM: Xid (PCI:0000:9b:00): 79, x', 'tenant', undefined, undefined, 0],
      ['of the journal', 'tenant', undefined, undefined, 0],
    ],
  );
  assert.ok(Math.abs((lines[0]?.timeMs ?? 0) - Date.UTC(2026, 10, 29, 15, 0, 0, 100)) < 1 || lines[0]?.timeMs === null);
});

test('Vector: lines of JSON, packed with gzip; a job by its name or alias, a server by its program', async (t) => {
  const { lines, post } = await start(t);
  const body = [
    { message: 'step 8 loss 1.5 lr 0.1', host: 'node-3', timestamp: new Date().toISOString(), job_id: '1234' },
    { message: 'Traceback (most recent call last):\n  File "x"\nKeyError: 7', timestamp: new Date().toISOString(), job: 'other', rank: 5, trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
    { message: 'Avg prompt throughput: 1 tokens/s', appname: 'vllm' },
  ]; // biome-ignore format: one row a record
  const [status] = await post(gzipSync(body.map((record) => JSON.stringify(record)).join('\n')), { 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' }); // biome-ignore format: one line
  assert.equal(status, 200);
  assert.deepEqual(lines.map(({ attributes: { job, service } }) => job ?? service), ['ml/train', 'other', 'other', 'other', 'chat']); // biome-ignore format: one line
  assert.deepEqual([lines[2]?.attributes.writer_rank, lines[2]?.attributes.trace_id, lines[2]?.attributes.span_id], [5, 'a'.repeat(32), 'b'.repeat(16)]); // biome-ignore format: one line
});

test('what cannot be taken is refused with what to set, and nothing of it is taken', async (t) => {
  const { source, lines, post, port } = await start(t);
  const refusals: readonly (readonly [number, RegExp, string | Buffer, Record<string, string>, string])[] = [
    [404, /POST \/v1\/logs/, '[]', {}, '/v1/traces'],
    [400, /not JSON.*Format json/, 'hello', {}, '/v1/logs'],
    [400, /\(line 2\)/, '{"log":"x","job":"a"}\nhello', {}, '/v1/logs'],
    [400, /not an object/, '[1]', {}, '/v1/logs'],
    [415, /Format json/, 'x', { 'content-type': 'application/msgpack' }, '/v1/logs'],
    [415, /gzip and identity/, 'x', { 'content-encoding': 'zstd' }, '/v1/logs'],
    [400, /not gzip/, 'x', { 'content-encoding': 'gzip' }, '/v1/logs'],
    [413, /smaller batches/, gzipSync(Buffer.alloc(8 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }, '/v1/logs'],
    [400, /more than 10000 records/, `[${'{},'.repeat(10_000)}{}]`, {}, '/v1/logs'],
  ]; // biome-ignore format: one row a refusal
  for (const [status, why, body, headers, path] of refusals) {
    const answer = await post(body, headers, path);
    assert.equal(answer[0], status, String(why));
    assert.match(answer[1].error ?? '', why);
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/v1/logs`)).status, 405);
  assert.deepEqual(lines, []);
  assert.match(source.health()[0]?.detail ?? '', /10 requests refused/);
});

test('a flood is taken up to the rate, and what is beyond it is counted', async (t) => {
  const { source, lines, post } = await start(t, 20);
  await post(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ log: `line ${i}`, job: 'a' }))));
  assert.ok(lines.length >= 20 && lines.length < 500);
  assert.equal(lines.length + (source.counts()[0]?.lost ?? 0), 500);
});

test('records beyond the rate are counted without being read', async (t) => {
  const { source, lines, post } = await start(t, 20, () => 0);
  const records = Array.from({ length: 100 }, (_, i) => ({ log: `line ${i}`, job: 'a', host: i < 20 ? 'node-3' : 'node-9' })); // biome-ignore format: one line
  assert.equal((await post(JSON.stringify(records)))[0], 200);
  assert.equal(lines.length, 20);
  assert.match(source.health()[0]?.detail ?? '', /lines left out: 80 beyond 20 a second$/);
});

const MIB = 1024 * 1024;

/** Connections that say nothing, or begin a body of 4 MiB and do not end it. */
async function held(t: TestContext, port: number, count: number, bytes: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    if (bytes === 0) continue;
    socket.write(`POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-length: ${4 * MIB}\r\n\r\n`);
    await new Promise((resolve) => socket.write(Buffer.alloc(bytes, ' '), resolve));
  }
}

test('whoever is slow, or says nothing, takes no other’s place', async (t) => {
  const { post, port } = await start(t);
  assert.ok(port !== null);
  await held(t, port, 100, 0);
  assert.equal((await post('[]'))[0], 200);
  await held(t, port, 10, 4 * MIB - 1);
  await new Promise((resolve) => setTimeout(resolve, 150)); // to be slow takes a moment
  assert.equal((await post(`[]${' '.repeat(MIB)}`))[0], 200);
  assert.equal((await post(gzipSync('[]'), { 'content-encoding': 'gzip' }))[0], 200);
});

test('bytes are paid for before they are inflated or read, and what was inflated is owed', async (t) => {
  const counts = { requests: 0, refused: 0, evicted: 0 };
  const budget = new Budget({ mostBytes: 12 * MIB, bytesPerSecond: 1000, now: () => 0 });
  const { server, close } = shipperDoor({ counts, budget, turns: new Turns(), take() {} });
  t.after(close);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1/logs`;
  const post = async (body: string | Buffer, headers = {}) => fetch(url, { method: 'POST', body, headers });
  const gzip = { 'content-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.alloc(40 * MIB));
  const codes: number[] = [];
  for (let i = 0; i < 5; i += 1) codes.push((await post(bomb, gzip)).status);
  // The other half is for other senders.
  assert.deepEqual(codes, [413, 413, 429, 429, 429]);
  assert.equal((await post('not gzip', gzip)).status, 429);
  const last = await post('[]');
  assert.equal(last.status, 429);
  assert.ok(Number(last.headers.get('retry-after')) >= 1);
  assert.deepEqual([counts.requests, budget.held], [0, 0]);
});

test('bodies in every form that shippers have are read alike', () => {
  const records = [{ log: 'a' }, { log: 'b' }];
  for (const body of [
    JSON.stringify(records),
    records.map((one) => JSON.stringify(one)).join('\n'),
    ` ${JSON.stringify(records, null, 2)}\n`,
  ])
    assert.deepEqual(readRecords(body), records);
  assert.deepEqual(readRecords('{"log":"a"}'), [{ log: 'a' }]);
  assert.deepEqual(readRecords(''), []);
});
