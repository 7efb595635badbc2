// Injected faults through the real daemon: who may, how soon they show, how they are marked at every exit, and how they end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { ask } from '../../src/api/client.ts';
import { get } from '../api/helpers.ts';
import { asAnybody } from '../as-anybody.ts';
import { PROGRAM } from '../program.ts';
import { Collector } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

const closing: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

function make(extra = ''): DaemonUnderTest {
  const daemon = new DaemonUnderTest({ gpus: 2, extra });
  closing.push(daemon);
  return daemon;
}

function inject(daemon: DaemonUnderTest, ...words: string[]) {
  return daemon.command('inject', ...words, '--config', join(daemon.folder, 'faultline.yaml'));
}

test('an XID shows in --follow within a second, marked at every exit; a real one next to it is not', async () => {
  const collector = await Collector.grpc();
  closing.push({ close: () => collector.kill() });
  const daemon = make(`otlp: {endpoint: "http://127.0.0.1:${collector.port}"}\nprometheus: {listen: none}`);
  const child = await daemon.start();
  await daemon.until('the GPUs are read', async () => (((await daemon.status()) ?? { sources: [] }).sources as Json[]).some(({ source, status }) => source === 'gpu' && status === 'works')); // biome-ignore format: one condition
  const followed: { line: string; atMs: number }[] = [];
  const follow = spawn(process.execPath, [PROGRAM, 'incidents', '--follow', '--config', join(daemon.folder, 'faultline.yaml')]); // biome-ignore format: one command line
  closing.push({ close: () => void follow.kill() });
  follow.stdout.setEncoding('utf8').on('data', (line: string) => followed.push({ line, atMs: performance.now() }));

  const { status, stdout, stderr } = await inject(daemon, 'xid', '79', '--gpu', '1');
  assert.equal(status, 0, stderr);
  const answeredMs = performance.now();
  assert.match(stdout, /^injected: GPU fell off the bus on node-3 gpu 1 \(gpu\.lost\)\nINCIDENT [0-9a-f]{6} \[injected\] critical: /); // biome-ignore format: the whole line
  const first = await daemon.until('it is followed', () => followed[0]);
  assert.match(first.line, /open +critical +\d+ % +\[injected\] GPU fell off the bus on node-3 gpu 1/);
  assert.ok(first.atMs - answeredMs < 5000, `${first.atMs - answeredMs} ms`);

  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  const real = await daemon.until('the real one is reported', () => daemon.logged('incident').find((one) => one.injected !== true)); // biome-ignore format: short
  assert.doesNotMatch(String(real.title), /injected/);
  for (const one of daemon.logged('incident').filter(({ injected }) => injected === true)) assert.match(String(one.title), /^\[injected\] /); // biome-ignore format: short
  const { incidents } = await daemon.get('/v1/incidents');
  const [made] = (incidents as Json[]).filter(({ injected }) => injected === true); // the API's list
  assert.ok(made);
  assert.ok((made.events as Json[]).every(({ attributes }) => (attributes as Json).injected === true)); // the API's incident

  const socket = join(daemon.folder, 'run', 'faultline.sock');
  const criticalOf = (text: string) => text.split('\n').filter((line) => /^faultline_incidents_open\{.*severity="critical"/.test(line)); // biome-ignore format: short
  const metrics = await daemon.until('both are counted', async () => {
    const { body } = await get(socket, '/metrics');
    return criticalOf(body).every((line) => line.endsWith(' 1')) ? body : undefined;
  });
  const open = criticalOf(metrics);
  assert.deepEqual(open.map((line) => [line.includes('injected="true"'), line.at(-1)]).sort(), [[false, '1'], [true, '1']]); // biome-ignore format: pairs
  // Only the GPU that is really lost counts as failed: whoever drains nodes by that must not act on a rehearsal.
  const failed = metrics.split('\n').filter((line) => /^hw_status\{.*hw_state="failed".* 1$/.test(line));
  assert.equal(failed.length, 1);
  assert.match(failed[0] ?? '', /0000:1b:00\.0/);

  const sent = () => collector.logs.filter(({ eventName }) => eventName.startsWith('faultline.incident.'));
  const isMarked = ({ attributes }: (typeof collector.logs)[number]) => attributes['faultline.injected'] === true;
  await daemon.until('records of both are sent', () => sent().some(isMarked) && !sent().every(isMarked));
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
  const records = sent();
  const marked = records.filter(isMarked);
  assert.ok(marked.length > 0 && marked.length < records.length, `${marked.length} of ${records.length} are marked`);
  for (const { body } of marked) assert.match(String(body), /^\[injected\] /);
  for (const { attributes } of collector.spans) {
    const of = attributes['faultline.incident.id'];
    assert.equal(attributes['faultline.injected'] === true, of === made.id, JSON.stringify(attributes));
  }
  // It does not outlive the daemon.
  const states = daemon.logged('incident').filter(({ injected }) => injected === true).map(({ state }) => state); // biome-ignore format: short
  assert.equal(states.at(-1), 'resolved');
});

test('whoever is neither root nor the user of the daemon is refused in clear words, in its group or not', async () => {
  const daemon = make();
  await daemon.start();
  const socket = join(daemon.folder, 'run', 'faultline.sock');
  if (process.geteuid?.() !== 0) {
    assert.equal((await inject(daemon, 'xid', '79')).status, 0);
    return;
  }
  // As if in the group: the socket lets everybody connect, and the kernel says who it is.
  for (const folder of [daemon.folder, join(daemon.folder, 'run')]) chmodSync(folder, 0o755);
  chmodSync(socket, 0o666);
  const body = { what: 'xid', xid: 79 };
  const asked = await asAnybody(() => ask('POST', '/v1/inject', [socket], {}, body).then(String, (error: Error) => error.message)); // biome-ignore format: one call
  assert.match(
    asked,
    /^FL3411 only root and the daemon's own user may inject faults; this is .*uid 65534.*\. Use sudo/,
  );
  chmodSync(socket, 0o660);
  const outside = spawn('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, PROGRAM, 'inject', 'xid', '79', '--config', join(daemon.folder, 'faultline.yaml')], { env: { HOME: daemon.folder, PATH: process.env.PATH } }); // biome-ignore format: one command line
  let err = '';
  outside.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  assert.equal((await exitOf(outside)).code, 1);
  assert.match(
    err,
    /^FL3411 only root and the daemon's own user may inject faults\. Use sudo: sudo \S+(?: \S+)? inject xid 79 --config /,
  );
  assert.deepEqual(daemon.logged('incident'), []);
});

test('the configuration switches it off, with how to switch it on; without a daemon it says so', async () => {
  const daemon = make('inject: {enabled: off}');
  assert.match((await inject(daemon, 'xid', '79')).stderr, /^FL1203 no daemon listens/);
  await daemon.start();
  const { status, stderr } = await inject(daemon, 'gpu.lost');
  assert.equal(status, 1);
  assert.match(stderr, /^FL3412 .*inject\.enabled is off.*inject: \{enabled: on\}.*restart/);
});

test('after kill -9 the next run ends what was injected, and takes up what is real', async () => {
  const daemon = make();
  const child = await daemon.start();
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  assert.equal((await inject(daemon, 'gpu.lost', '--component', 'gpu/0000:1c:00.0')).status, 0);
  await daemon.until('both are reported', () => (new Set(daemon.logged('incident').map(({ id }) => id)).size === 2 ? true : undefined)); // biome-ignore format: short
  child.kill('SIGKILL');
  await exitOf(child);
  await daemon.start();
  const newest = () => new Map(daemon.logged('incident').map((one) => [one.id, one]));
  await daemon.until('what was injected is over', () => [...newest().values()].find(({ injected, state }) => injected === true && state === 'resolved')); // biome-ignore format: short
  assert.deepEqual([...newest().values()].filter(({ injected }) => injected !== true).map(({ state }) => state), ['open']); // biome-ignore format: short
});
