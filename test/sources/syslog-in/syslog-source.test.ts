// The syslog receiver with util-linux' logger at the other end: every way in, whose lines count, refusals, floods, and what it leaves.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { TextRecord } from '../../../src/model/record.ts';
import type { Place } from '../../../src/sources/syslog-in/settings.ts';
import { SyslogSource } from '../../../src/sources/syslog-in/syslog-source.ts';
import { complaints, load } from '../../config/helpers.ts';
import { until } from '../../until.ts';

const run = promisify(execFile);
const at = (way: 'udp' | 'tcp', port = 0): Place => ({
  way,
  address: { text: `127.0.0.1:${port}`, host: '127.0.0.1', port },
});

interface Started {
  readonly source: SyslogSource;
  readonly lines: TextRecord[];
  readonly port: (i: number) => number;
}

async function start(
  t: TestContext,
  listen: readonly Place[],
  more: { linesPerSecond?: number; kernel?: boolean; now?: () => number } = {},
): Promise<Started> {
  const { linesPerSecond = 5000, kernel = true, now = Date.now } = more;
  const work = [{ program: 'train*', job: 'llama', service: null }];
  const source = new SyslogSource(
    { listen, hosts: [], work, linesPerSecond },
    { host: 'node-3', now, steady: (wallMs) => wallMs, kernel: () => kernel },
  );
  t.after(() => source.stop());
  const lines: TextRecord[] = [];
  source.start(
    { samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {} },
    new AbortController().signal,
  );
  await until(() => /listens on/.test(source.health()[0]?.detail ?? ''));
  return { source, lines, port: (i) => source.ports[i] ?? 0 };
}

test('logger reaches it over UDP, over TCP with and without lengths, and through a socket', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-syslog-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 's.sock');
  const socket: Place = { way: 'unix', address: { text: `unix:${path}`, path } };
  const { lines, port, source } = await start(t, [at('udp'), at('tcp'), socket]);
  const common = ['-t', 'train7', '--id=4711', '-p', 'user.info'];
  await run('logger', ['-n', '127.0.0.1', '-P', `${port(0)}`, '-d', '--rfc3164', ...common, 'by datagram']);
  await run('logger', [
    '-n',
    '127.0.0.1',
    '-P',
    `${port(1)}`,
    '-T',
    '--octet-count',
    '--rfc5424=nohost',
    ...common,
    'with its length',
  ]);
  await run('logger', ['-n', '127.0.0.1', '-P', `${port(1)}`, '-T', '--rfc5424=nohost', ...common, 'a line each']);
  await run('logger', ['-u', path, '-T', '--octet-count', '--rfc5424=nohost', ...common, 'through a socket']);
  await until(() => lines.length >= 3);
  // logger names the host that it runs on: whether that is ours is not known here.
  const of = (text: string) => lines.find((line) => line.text === text);
  for (const text of ['with its length', 'a line each', 'through a socket']) await until(() => of(text) !== undefined);
  const line = of('a line each');
  assert.deepEqual(
    [line?.source, line?.trust, line?.attributes.job, line?.stream],
    ['syslog-in', 'tenant', 'llama', 'syslog/tcp'],
  );
  assert.ok(Math.abs((line?.timeMs ?? 0) - Date.now()) < 60_000);
  await until(() => (source.counts()[0]?.reads ?? 0) >= 4);
  await source.stop();
  assert.equal(existsSync(path), false, 'the socket goes with the source');
});

function send(port: number, texts: readonly string[]): Promise<void> {
  const socket = createSocket('udp4');
  const all = texts.map(
    (text) => new Promise<void>((resolve) => socket.send(text, port, '127.0.0.1', () => resolve())),
  );
  return Promise.all(all).then(() => void socket.close());
}

test('lines with the kernel’s number are a tenant’s like all others; other hosts are left out', async (t) => {
  const { lines, port, source } = await start(t, [at('udp')]);
  await send(port(0), [
    '<4>Nov 29 15:00:00 node-3 kernel: [1.000001] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
    '<4>Nov 29 15:00:00 node-9 kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
    '<30>Nov 29 15:00:00 node-3.example.org cupsd[1]: hello',
    'without a priority',
  ]);
  await until(() => source.counts()[0]?.reads === 4);
  assert.deepEqual(lines.map(({ text, trust, attributes }) => [text, trust, attributes.facility]), [['NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.', 'tenant', 0]]); // biome-ignore format: one line
  assert.match(source.health()[0]?.detail ?? '', /1 of other hosts \(node-9\), 2 of programs/);
});

test('the kernel’s lines are left out while the kernel itself is read', async (t) => {
  const { lines, port, source } = await start(t, [at('udp')], { kernel: false });
  await send(port(0), ['<4>Nov 29 15:00:00 node-3 kernel: x', '<13>Nov 29 15:00:00 node-3 train: step']);
  await until(() => source.counts()[0]?.reads === 2);
  assert.deepEqual(lines.map(({ text }) => text), ['step']); // biome-ignore format: one line
});

test('a flood is taken up to the rate, and what is beyond it is counted', async (t) => {
  const { lines, port, source } = await start(t, [at('tcp')], { linesPerSecond: 50 });
  const socket = connect(port(0), '127.0.0.1');
  t.after(() => socket.destroy());
  for (let i = 0; i < 2000; i += 1) socket.write(`<13>Nov 29 15:00:00 train: line ${i}\n`);
  await until(() => source.counts()[0]?.reads === 2000);
  assert.equal(lines.length + (source.counts()[0]?.lost ?? 0), 2000);
  assert.ok(lines.length < 2000 && (source.counts()[0]?.lost ?? 0) > 0);
});

test('beyond the rate nothing is read of a message, and a stream waits', async (t) => {
  const { lines, port, source } = await start(t, [at('udp'), at('tcp')], { linesPerSecond: 10, now: () => 0 });
  const own = Array.from({ length: 10 }, (_, i) => `<13>Nov 29 15:00:00 node-3 train: line ${i}`);
  const others = Array.from({ length: 50 }, (_, i) => `<13>Nov 29 15:00:00 node-9 train: line ${i}`);
  await send(port(0), own);
  await until(() => lines.length === 10);
  await send(port(0), others);
  await until(() => source.counts()[0]?.reads === 60);
  const pause = t.mock.method(Socket.prototype, 'pause');
  const socket = connect(port(1), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(others.map((line) => `${line}\n`).join(''));
  await until(() => source.counts()[0]?.reads === 110);
  socket.write(others.map((line) => `${line}\n`).join(''));
  await until(() => source.counts()[0]?.reads === 160, { what: 'what comes after the pause' });
  assert.ok(pause.mock.callCount() >= 2, 'paused with each piece');
  assert.match(source.health()[0]?.detail ?? '', /lines left out: 150 beyond 10 a second$/);
});

test('messages that are of no use here are not read without end either', async (t) => {
  const { port, source } = await start(t, [at('udp')], { linesPerSecond: 10, now: () => 0 });
  await send(
    port(0),
    Array.from({ length: 100 }, (_, i) => `<13>Nov 29 15:00:00 node-9 x: line ${i}`),
  );
  await until(() => source.counts()[0]?.reads === 100);
  assert.match(source.health()[0]?.detail ?? '', /40 of other hosts \(node-9\), 60 beyond 10 a second$/);
});

test('an address that another program has is said, and the other one works', async (t) => {
  const taken = createServer();
  t.after(() => taken.close());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const bound = taken.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const source = new SyslogSource(
    { listen: [at('tcp', port), at('udp')], hosts: [], work: [], linesPerSecond: 10 },
    { host: 'node-3', now: Date.now, steady: (wallMs) => wallMs, kernel: () => true },
  );
  t.after(() => source.stop());
  source.start({ samples() {}, text() {}, event() {}, discovery() {} }, new AbortController().signal);
  await until(() => source.health()[0]?.status === 'partial');
  assert.match(source.health()[0]?.detail ?? '', /tcp:127.0.0.1:\d+: another program listens there/);
});

test('the configuration refuses what reaches further than this host, and what is not an address', async () => {
  const { config } = await load('sources: {syslog_in: {listen: ["udp:127.0.0.1:5514", "unix:/run/faultline/s.sock"]}}');
  assert.deepEqual(config.sources['syslog-in'].listen.map(({ way }) => way), ['udp', 'unix']); // biome-ignore format: one line
  assert.match(
    (await complaints('sources: {syslog_in: {listen: ["udp:0.0.0.0:514"]}}')).join(),
    /is reached by other hosts .*FL1110/,
  );
  assert.deepEqual(await complaints('sources: {syslog_in: {listen: ["udp:0.0.0.0:514"], beyond_this_host: true}}'), []);
  assert.match((await complaints('sources: {syslog_in: {listen: ["tcp:host"]}}')).join(), /is not an address/);
  // No setting makes lines that anyone may send the system's.
  assert.match((await complaints('sources: {syslog_in: {trust: system}}')).join(), /trust is not known/);
  assert.match(
    (await complaints('sources: {syslog_in: {work: [{program: x}]}}')).join(),
    /must have a job or a service/,
  );
});
