// The real daemon: from a line in the kernel log to an incident on disk, and through everything that can go wrong.

import assert from 'node:assert/strict';
import { accessSync, closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
const all: DaemonUnderTest[] = [];
afterEach(async () => {
  for (const daemon of all.splice(0)) await daemon.close();
});
function make(options: ConstructorParameters<typeof DaemonUnderTest>[0] = {}): DaemonUnderTest {
  const daemon = new DaemonUnderTest(options);
  all.push(daemon);
  return daemon;
}

function root(incident: Json): { kind: string; component: { type: string; id: string } | null } {
  return incident.root as { kind: string; component: { type: string; id: string } | null }; // contracts' incident
}

test('a line in the kernel log becomes an incident on disk, and its recording replays to the same ids', async () => {
  const daemon = make();
  const child = await daemon.start();
  daemon.kernel(XID_79);
  daemon.kernel('usb 1-1: new high-speed USB device number 2');
  const [incident] = await daemon.until('the incident is on disk', () => nonEmpty(daemon.logged('incident')));
  assert.deepEqual(root(incident).kind, 'gpu.lost');
  assert.equal(root(incident).component?.id, '0000:9b:00.0');
  assert.equal(incident.severity, 'critical');
  assert.equal(daemon.logged('event').length, 1);
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
  const replayed = await daemon.command('replay', daemon.recording, '--json');
  assert.equal(replayed.status, 0, replayed.stderr);
  const document = JSON.parse(replayed.stdout);
  assert.deepEqual(document.incidents.map(essence), newest(daemon.logged('incident')).map(essence));
});

test('a recording that cannot be made is reported, stops no detection, and ends the command that is only for it', async () => {
  const daemon = make();
  writeFileSync(daemon.recording, 'something else');
  await daemon.start();
  daemon.kernel(XID_79);
  await daemon.until('the incident is on disk', () => nonEmpty(daemon.logged('incident')));
  assert.match(daemon.stderr, /FL1303 the recording .* cannot be written/);
  const config = join(daemon.folder, 'faultline.yaml');
  const recorded = await daemon.command('record', '--out', '/nowhere/at/all', '--config', config, '--for', '1s');
  assert.equal(recorded.status, 1);
  assert.doesNotMatch(recorded.stderr, /FL1000/);
});

test('a log folder that cannot be used is reported at the start, not with the first incident, and so are the sources', async () => {
  const daemon = make();
  writeFileSync(daemon.log, 'a file where the folder should be');
  await daemon.start();
  const reported = await daemon.until(
    'the trouble is reported',
    () => /"FL3101 [^"]+"/.exec(daemon.stderr)?.[0] ?? null,
  );
  assert.match(reported, /incidents\.jsonl could not be written \(ENOTDIR|EEXIST\)/);
  const line = await daemon.until('sources', () => /.*"works":.*/.exec(daemon.stderr)?.[0] ?? null);
  const { works, not_here: missing } = JSON.parse(line);
  assert.ok(works.some((text: string) => text.startsWith('kernel-log: reading ')));
  assert.ok(missing.some((text: string) => text.startsWith('gpu: library not found')));
});

test('a full disk under its own log does not end the daemon', async () => {
  const daemon = make();
  const full = openSync('/dev/full', 'w');
  const child = await daemon.start(full);
  closeSync(full);
  daemon.kernel(XID_79);
  await daemon.until('the incident is on disk', () => nonEmpty(daemon.logged('incident')));
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);
});

test('a line in the real kernel log is an incident where user lines are allowed', { skip: kmsgMissing() }, async () => {
  const daemon = make();
  const config = join(daemon.folder, 'faultline.yaml');
  writeFileSync(
    config,
    `host: node-3
directories: {state: "${daemon.folder}/state", log: "${daemon.log}", runtime: "${daemon.folder}/run"}
sources: {kernel_log: {user_lines: true}}
`,
  );
  await daemon.start();
  writeFileSync('/dev/kmsg', `<3>${XID_79}\n`);
  const [incident] = await daemon.until('the incident is on disk', () => nonEmpty(daemon.logged('incident')));
  assert.equal(root(incident).kind, 'gpu.lost');
  assert.ok(Number(incident.confidence) <= 0.6, 'a line that a user could have written never makes us surer than 60 %');
});

test('with no library, tree or GPU the daemon works with the rest, says so once, and takes up what appears', async () => {
  const daemon = make();
  await daemon.start();
  const sources = async () => ((await daemon.get('/v1/status')).sources as Json[]).map((s) => [s.source, s.status]);
  await daemon.until('the GPU source knows that it has no library', async () => {
    return (await sources()).some(([name, status]) => name === 'gpu' && status === 'absent');
  });
  daemon.installNvml(2);
  await daemon.until('the library is taken up', async () => {
    return (await sources()).some(([name, status]) => name === 'gpu' && status === 'works');
  });
  daemon.kernel(XID_79);
  await daemon.until('the kernel log is read all the same', () => nonEmpty(daemon.logged('incident')));
});

test('a hung driver call is named; the API, the kernel log and the end of the daemon do not wait for it', async () => {
  const daemon = make({ gpus: 4 });
  const child = await daemon.start();
  await daemon.until('four GPUs are there', async () => JSON.stringify(await daemon.status()).includes('4 GPUs'));
  daemon.control('devices 4\ngpu.2.hang 1\n');
  const events = async () => ((await daemon.get('/v1/events')).events ?? []) as Json[];
  const stalled = await daemon.until('the stalled call is an event', async () =>
    (await events()).find((e) => e.kind === 'gpu.call_stalled'),
  );
  assert.match(String((stalled.attributes as Json).call), /^nvml/);
  assert.ok(stalled.component, 'the event names the device');
  daemon.kernel(XID_79);
  await daemon.until('the kernel log is read all the same', () =>
    daemon.logged('incident').find((i) => root(i).kind === 'gpu.lost'),
  );
  child.kill('SIGTERM');
  const { code, tookMs } = await exitOf(child);
  assert.equal(code, 0);
  assert.ok(tookMs < 8_000, `took ${tookMs} ms`); // the promise of the service unit, not a benchmark
});

test('a crashing library is reported and restarted, and a truncated one ends nothing but the child', async () => {
  const daemon = make({ gpus: 2 });
  const child = await daemon.start();
  daemon.control('devices 2\ncall.nvmlDeviceGetFieldValues.crash 1\n');
  await daemon.until('the crash is reported', async () =>
    JSON.stringify(await daemon.get('/v1/events')).includes('child'),
  );
  const library = join(daemon.folder, 'nvml', 'libnvidia-ml.so.1');
  rmSync(library);
  writeFileSync(library, 'not an ELF file');
  daemon.kernel(XID_79);
  await daemon.until('the kernel log is read all the same', () => nonEmpty(daemon.logged('incident')));
  assert.equal(child.exitCode, null);
});

test('a second instance is refused with the pid of the first', async () => {
  const daemon = make();
  const first = await daemon.start();
  const second = daemon.spawn();
  assert.equal((await exitOf(second)).code, 1);
  assert.match(daemon.stderr, new RegExp(`FL1201 another faultline .*pid ${first.pid}`));
  assert.equal(first.exitCode, null);
});

test('killed at any moment, the next start continues with the open incident under its id', async () => {
  const daemon = make();
  const first = await daemon.start();
  daemon.kernel(XID_79);
  const [incident] = await daemon.until('the incident is on disk', () => nonEmpty(daemon.logged('incident')));
  first.kill('SIGKILL');
  await exitOf(first);
  await daemon.start();
  const known = (await daemon.get('/v1/incidents')).incidents as Json[];
  assert.deepEqual(known.map((i) => [i.id, i.state]), [[incident.id, 'open']]); // biome-ignore format: a pair
});

test('a second SIGINT ends the daemon at once', async () => {
  const daemon = make({ gpus: 1 });
  const child = await daemon.start();
  child.kill('SIGINT');
  child.kill('SIGINT');
  const { code } = await exitOf(child);
  assert.ok(code === 130 || code === 0, `ended with ${code}`);
});

function nonEmpty(documents: Json[]): [Json, ...Json[]] | null {
  const [first, ...rest] = documents;
  return first === undefined ? null : [first, ...rest];
}

/** The last revision of each incident. */
function newest(documents: Json[]): Json[] {
  return [...new Map(documents.map((d) => [d.id, d])).values()];
}

function essence(incident: Json): Json {
  const { id, root, chain, severity, confidence, opened_at } = incident;
  return { id, root, chain, severity, confidence, opened_at };
}

function kmsgMissing(): string | false {
  try {
    accessSync('/dev/kmsg', constants.R_OK | constants.W_OK);
    return false;
  } catch {
    return 'this user may not write to the kernel log';
  }
}
