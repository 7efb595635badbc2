// What people say to the real daemon: acknowledged, judged, under maintenance — with a daemon, without one, through restarts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockInstance } from '../../src/api/instance-lock.ts';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

const all: DaemonUnderTest[] = [];
afterEach(async () => {
  for (const daemon of all.splice(0)) await daemon.close();
});
function make(options: ConstructorParameters<typeof DaemonUnderTest>[0] = {}): DaemonUnderTest {
  const daemon = new DaemonUnderTest(options);
  all.push(daemon);
  return daemon;
}

function xid79(bus: string): string {
  return `NVRM: Xid (PCI:0000:${bus}:00): 79, pid=1122, name=python, GPU has fallen off the bus.`;
}

/** Runs a command on the daemon's configuration; its output when it succeeds. */
async function say(daemon: DaemonUnderTest, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await daemon.command(...args, '--config', join(daemon.folder, 'faultline.yaml'));
  assert.equal(status, 0, stderr);
  return stdout;
}

async function firstIncident(daemon: DaemonUnderTest): Promise<string> {
  daemon.kernel(xid79('9b'));
  const incident = await daemon.until('the incident is on disk', () => daemon.logged('incident')[0]);
  return String(incident.id);
}

async function shown(daemon: DaemonUnderTest): Promise<Json> {
  const [first] = (await daemon.get('/v1/incidents')).incidents as Json[]; // the API's list
  assert.ok(first);
  return first;
}

test('an incident is acknowledged and judged with a daemon and without one, and every reader shows it', async () => {
  const daemon = make();
  const child = await daemon.start();
  const id = await firstIncident(daemon);
  assert.match(await say(daemon, 'incidents', '--unacked'), new RegExp(id.slice(0, 6)));
  assert.match(
    await say(daemon, 'ack', id.slice(0, 6), '--by', 'anna', '--note', 'INC-4711'),
    /^acknowledged by anna: /,
  );
  await say(daemon, 'verdict', id, 'wrong', '--root', 'pcie.link_down', '--by', 'anna');
  assert.deepEqual(daemon.logged('note').map(({ kind, by, incident_id }) => [kind, by, incident_id]), [['ack', 'anna', id], ['verdict', 'anna', id]]); // biome-ignore format: pairs
  const { acknowledged, verdict } = await shown(daemon);
  assert.equal((acknowledged as Json).note, 'INC-4711'); // the API's incident
  assert.equal((verdict as Json).root_kind, 'pcie.link_down'); // the API's incident
  assert.equal(await say(daemon, 'incidents', '--unacked'), '');

  child.kill('SIGKILL');
  await exitOf(child);
  const config = join(daemon.folder, 'faultline.yaml');
  const ended = await daemon.command('incidents', '--config', config);
  assert.match(ended.stderr, /^no daemon writes this log since \S+ \S+\. Start it: /);
  assert.match(ended.stdout, / {2}\[as of \S+ \S+\] /);
  const alone = await daemon.command('ack', id, '--by', 'bob', '--config', config);
  assert.deepEqual([alone.status, alone.stderr.trim()], [0, `no daemon runs: written into the log in ${daemon.log}`]);
  const document = JSON.parse(await say(daemon, 'incidents', '--json'));
  assert.deepEqual([document.acknowledged.by, document.verdict.verdict], ['bob', 'wrong']);
  assert.match(
    await say(daemon, 'explain', id),
    /Acked {7}by bob[\s\S]*Verdict {5}wrong, it was pcie\.link_down, by anna/,
  );
  assert.match(await say(daemon, 'incidents'), /\[acknowledged by bob; called wrong\]/);
  const table = JSON.parse(await say(daemon, 'incidents', '--reliability', '--json'));
  assert.deepEqual(table.kinds, [{ kind: 'gpu.lost', right: 0, wrong: 1, none: 0, really: { 'pcie.link_down': 1 } }]);

  await daemon.start();
  assert.equal(((await shown(daemon)).acknowledged as Json).by, 'bob'); // the API's incident
});

test('without a daemon several people speak at once, and every word is written', async () => {
  const daemon = make();
  const child = await daemon.start();
  const id = await firstIncident(daemon);
  child.kill('SIGKILL');
  await exitOf(child);
  const names = ['anna', 'bob', 'carla', 'dirk', 'emil', 'fred'];
  await Promise.all(names.map((name) => say(daemon, 'ack', id, '--by', name)));
  assert.deepEqual(daemon.logged('note').map(({ by }) => by).sort(), names); // biome-ignore format: one line
});

test('while a daemon holds the lock and does not listen, a command writes nothing and says so', async () => {
  const daemon = make();
  const child = await daemon.start();
  const id = await firstIncident(daemon);
  child.kill('SIGKILL');
  await exitOf(child);
  const before = readFileSync(join(daemon.log, 'incidents.jsonl'));
  const lock = lockInstance(join(daemon.folder, 'state'));
  const config = join(daemon.folder, 'faultline.yaml');
  const refused = await daemon.command('ack', id, '--config', config);
  lock.release();
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^FL3403 /);
  const unable = await daemon.command('maintenance', 'start', '--config', config);
  assert.equal(unable.status, 1);
  assert.match(unable.stderr, /^FL3407 /);
  assert.deepEqual(readFileSync(join(daemon.log, 'incidents.jsonl')), before);
});

test('under maintenance a lost GPU raises nothing, also after a restart; when it is over it does', async () => {
  const daemon = make();
  const first = await daemon.start();
  await say(daemon, 'maintenance', 'start', '--by', 'anna', '--note', 'new fans');
  const events = async () => ((await daemon.get('/v1/events')).events ?? []) as Json[];
  const lostSeen = (bus: string) => async () =>
    (await events()).some(
      ({ kind, component }) => kind === 'gpu.lost' && String((component as Json).id).includes(`:${bus}:`),
    );
  daemon.kernel(xid79('9b'));
  await daemon.until('the first XID is seen', lostSeen('9b'));
  first.kill('SIGKILL');
  await exitOf(first);
  const second = await daemon.start();
  assert.equal(((await daemon.get('/v1/status')).maintenance as Json[]).length, 1); // the API's list
  daemon.kernel(xid79('ad'));
  await daemon.until('the second XID is seen', lostSeen('ad'));
  assert.match(
    await say(daemon, 'maintenance', 'list'),
    /^host\/node-3 {2}since .* until \S+ \S+ \(\S+\), declared by anna: new fans$/m,
  );
  assert.deepEqual(daemon.logged('incident'), []);

  const config = join(daemon.folder, 'faultline.yaml');
  const doubted = await daemon.command('maintenance', 'start', '--component', 'gpu/0000:9a:00.0', '--config', config);
  assert.match(doubted.stdout, /^maintenance of gpu\/0000:9a:00\.0 declared by .* for 4h; --for sets another end/);
  assert.match(
    doubted.stderr,
    /^warning: nothing on this host has ever shown gpu\/0000:9a:00\.0: .* Did you mean: gpu\/\S+\n$/,
  );
  await say(daemon, 'maintenance', 'end', '--component', 'gpu/0000:9a:00.0');
  await say(daemon, 'maintenance', 'end', '--by', 'anna');
  assert.equal(await say(daemon, 'maintenance', 'list'), '');
  // What is seen within a second of the end may still have happened under it: that GPU stays explained.
  const buses = ['c1', 'df', '1b', '29', '45', '5d'];
  const incident = await daemon.until('a lost GPU is an incident again', async () => {
    const bus = buses.shift();
    if (bus !== undefined) daemon.kernel(xid79(bus));
    await sleep(700);
    return daemon.logged('incident')[0];
  });
  assert.match(JSON.stringify(incident.ruled_out), /declared by anna for node-3, over before it began/);
  second.kill('SIGTERM');
  assert.equal((await exitOf(second)).code, 0);
  const replayed = JSON.parse((await daemon.command('replay', daemon.recording, '--json')).stdout);
  const ids = new Set(daemon.logged('incident').map(({ id }) => id));
  assert.deepEqual(new Set(replayed.incidents.map(({ id }: Json) => id)), ids);
});

test('maintenance of one GPU ends by itself, and says nothing of its neighbour', async () => {
  const daemon = make();
  await daemon.start();
  await say(daemon, 'maintenance', 'start', '--component', 'gpu/9B:00', '--for', '2s', '--by', 'anna');
  daemon.kernel(xid79('ad'));
  const incident = await daemon.until('the neighbour is an incident', () => daemon.logged('incident')[0]);
  assert.equal(((incident.root as Json).component as Json).id, '0000:ad:00.0');
  await daemon.until('its end is reported', async () => {
    const { events = [] } = await daemon.get('/v1/events');
    return (events as Json[]).some(({ kind, state }) => kind === 'host.maintenance' && state === 'clear');
  });
  assert.deepEqual((await daemon.status())?.maintenance, []);
});
