// Gravest first: whoever reads from the top acts on the worst of several incidents, in each form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byGravity } from '../../../src/commands/scan/overview.ts';
import { incident } from '../../incidents/sample.ts';
import { scannedLogs } from './scanned.ts';

/** A link that went down, and hours later the root file system of the same host. */
const TWO = [
  '2026-11-29T02:10:04+00:00 cn-18 kernel: NVRM: Xid (PCI:0000:9c:00): 63, pid=<unknown>, name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.',
  '2026-11-29T05:44:31+00:00 cn-18 kernel: NVRM: Xid (PCI:0000:2a:00): 79, pid=<unknown>, name=<unknown>, GPU has fallen off the bus.',
];

test('the report begins with the gravest, and says before it how many there are and which that is', async (t) => {
  const text = await scannedLogs(t, { 'kern.log': TWO });
  const [first, second] = [...text.matchAll(/^INCIDENT (\w{6}) +(\w+)/gm)];
  assert.deepEqual([first?.[2], second?.[2]], ['critical', 'warning']);
  const line = new RegExp(`^2 incidents, the gravest first: act on ${first?.[1]} before the other\\.$`, 'm'); // biome-ignore format: one form
  assert.match(text, line);
  assert.ok(text.search(line) < text.indexOf('INCIDENT'));
});

test('so does a ticket', async (t) => {
  const ticket = await scannedLogs(t, { 'kern.log': TWO }, '--format', 'markdown');
  assert.match(ticket, /^2 incidents, the gravest first: act on \w{6} before the other\./);
  assert.deepEqual([...ticket.matchAll(/^## ([\w ]+) on /gm)].map(([, title]) => title), ['GPU fell off the bus', 'GPU row remap pending']); // biome-ignore format: one list
});

test('the document keeps the order of time and names the gravest', async (t) => {
  const { incidents, act_on: gravest } = JSON.parse(await scannedLogs(t, { 'kern.log': TWO }, '--json'));
  assert.deepEqual(incidents.map(({ severity }: { severity: string }) => severity), ['warning', 'critical']); // biome-ignore format: one list
  assert.equal(gravest, incidents[1].id);
  const none = JSON.parse(await scannedLogs(t, { 'kern.log': ['2026-11-29T02:10:04+00:00 cn-18 kernel: Linux version 6.8.0-40-generic (buildd@lcy02) #40'] }, '--json')); // biome-ignore format: one text
  assert.equal(none.act_on, null);
});

test('one incident alone has no such line', async (t) => {
  assert.doesNotMatch(await scannedLogs(t, { 'kern.log': TWO.slice(0, 1) }), /gravest/);
});

test('what a line says is over comes after all else; of equals what is open comes first', () => {
  const clear = incident('aaaaaaaaaaaa').events.map((event) => ({ ...event, kind: 'storage.stall' as const }));
  const root = { ...incident('a').root, kind: 'storage.stall' as const };
  const over = incident('aaaaaaaaaaaa', {
    severity: 'critical',
    state: 'resolved',
    root,
    events: [...clear, ...clear.map((event) => ({ ...event, state: 'clear' as const }))],
  });
  const ended = incident('bbbbbbbbbbbb', { severity: 'error', state: 'resolved', openedMs: 1 });
  const open = incident('cccccccccccc', { severity: 'error', state: 'open', openedMs: 2 });
  assert.deepEqual(byGravity([over, ended, open]).map(({ id }) => id[0]), ['c', 'b', 'a']); // biome-ignore format: one list
});

test('of equals a host or device comes before a pod, and what has a root before what has none', () => {
  const base = incident('aaaaaaaaaaaa', { severity: 'error', confidence: 0.6 });
  const pod = { ...base, id: 'bbbbbbbbbbbb', confidence: 0.9, root: { ...base.root, kind: 'pod.rejected' as const } };
  const unknown = { ...base, id: 'cccccccccccc', confidence: 0.9, rootKnown: false };
  assert.deepEqual(byGravity([unknown, pod, base]).map(({ id }) => id[0]), ['a', 'b', 'c']); // biome-ignore format: one list
});

test('the document says the first step apart from what comes after it, with commands that can be pasted', async (t) => {
  const HUNG = [
    '[rank1]:[E1129 04:10:00.000000000 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.',
    '[rank0]:[E1129 04:10:00.100000000 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600033 milliseconds before timing out.',
    '[rank3]:[E1129 04:10:00.200000000 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600040 milliseconds before timing out.',
  ];
  const [{ advice }] = JSON.parse(await scannedLogs(t, { 'slurm-4711.out': HUNG }, '--json')).incidents;
  const text = await scannedLogs(t, { 'slurm-4711.out': HUNG });
  assert.match(advice.then, /faultline fr /);
  assert.doesNotMatch(advice.now, /faultline fr/);
  assert.ok(text.replaceAll(/\s+/g, ' ').includes(`Now ${advice.now} Call`), text);
});
