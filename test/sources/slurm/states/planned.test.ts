// Planned work by Slurm's records: reservations for maintenance, reboots, and drains whose reason says that they are planned.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservationsFromJson, reservationsFromText } from '../../../../src/sources/slurm/read/reservation.ts';
import { plansOf } from '../../../../src/sources/slurm/states/planned.ts';

const T = Date.UTC(2026, 10, 29, 5);
const NODE = {
  name: 'n1',
  states: ['IDLE', 'MAINTENANCE'],
  reason: null,
  reasonBy: null,
  reasonMs: null,
  hasGpus: false,
};
const CONTEXT = { host: 'node-3', steady: (ms: number) => ms, nowMs: T + 1000, words: ['maintenance', 'reboot asap'] };
const TEXT = `ReservationName=fans StartTime=2026-11-29T05:00:00 EndTime=2026-11-29T07:00:00 Duration=02:00:00
   Nodes=n[1-2] NodeCnt=2 CoreCnt=32 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES
   TRES=cpu=32
   Users=root,anna Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null) Watts=n/a
   MaxStartDelay=(null)
   Comment=new fans

ReservationName=course StartTime=2026-11-29T05:00:00 EndTime=2026-11-29T07:00:00 Duration=02:00:00
   Nodes=n1 Flags=SPEC_NODES
   Users=bob
`;
const seconds = (ms: number) => ({ set: true, infinite: false, number: ms / 1000 });
const JSON_TEXT = JSON.stringify({ reservations: [{ name: 'fans', node_list: 'n[1-2]', flags: ['MAINT', 'SPEC_NODES'], users: 'root,anna', start_time: seconds(T), end_time: seconds(T + 7_200_000) }] }); // biome-ignore format: one line

test('a reservation with MAINT on this node, in text and JSON; one for jobs is none', () => {
  const [plan, ...more] = plansOf(NODE, reservationsFromText(TEXT), CONTEXT);
  assert.deepEqual([plan?.by, plan?.note, plan?.fromMs, plan?.untilMs, more], ['root,anna', 'reservation fans: new fans', T, T + 7_200_000, []]); // biome-ignore format: one line
  const [json] = plansOf(NODE, reservationsFromJson(JSON_TEXT) ?? [], CONTEXT);
  assert.deepEqual([json?.note, json?.untilMs], ['reservation fans', T + 7_200_000]);
  assert.equal(reservationsFromJson('{"nodes": []}'), null);
  assert.deepEqual(plansOf({ ...NODE, name: 'n7', states: ['IDLE'] }, reservationsFromText(TEXT), CONTEXT), []);
});

test('the state alone is a plan of its own; a drain only where its reason has the words, or a reboot was asked for', () => {
  assert.deepEqual(plansOf(NODE, [], CONTEXT).map(({ note }) => note), ['node state MAINT']); // biome-ignore format: one line
  const drained = (reason: string, states = ['IDLE', 'DRAIN']) =>
    plansOf({ ...NODE, states, reason, reasonBy: 'anna', reasonMs: T }, [], CONTEXT).map(({ note, by }) => `${by}: ${note}`); // biome-ignore format: one line
  assert.deepEqual(drained('Maintenance: BIOS'), ['anna: Maintenance: BIOS']);
  assert.deepEqual(drained('Reboot ASAP', ['MIXED', 'DRAIN', 'REBOOT_REQUESTED']), ['anna: Reboot ASAP']);
  for (const reason of ['Kill task failed', 'NHC: gpu lost', 'unmaintenanced'])
    assert.deepEqual(drained(reason), [], reason);
  assert.deepEqual(drained('maintenance', ['IDLE']), [], 'it is not drained');
});
