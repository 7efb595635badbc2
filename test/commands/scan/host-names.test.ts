// Which hosts logs are of: those that lines name, and stand-ins where none does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOf, hostsOf } from '../../../src/commands/scan/host-names.ts';

const unnamed = (labels: Readonly<Record<string, boolean>>) =>
  new Map(Object.entries(labels).map(([label, kernel]) => [label, { kernel, folder: '/logs' }]));

test('a log without a host is of the only one that is named', () => {
  assert.deepEqual(hostsOf(new Set(['node-1']), unnamed({ job: false, dmesg: true })), [
    { name: 'node-1', foundAs: ['node-1', 'job', 'dmesg'] },
  ]);
});

test('one kernel log and the logs of jobs next to it are of one host', () => {
  assert.deepEqual(hostsOf(new Set(), unnamed({ job: false, dmesg: true })), [
    { name: 'dmesg', foundAs: ['job', 'dmesg'] },
  ]);
});

test('several kernel logs are of several hosts, and none is guessed', () => {
  const names = (named: string[], labels: Record<string, boolean>) =>
    hostsOf(new Set(named), unnamed(labels)).map(({ name }) => name);
  assert.deepEqual(names([], { a: true, b: true, job: false }), ['a', 'b', 'job']);
  assert.deepEqual(names(['node-1', 'node-2'], { job: false }), ['node-1', 'node-2', 'job']);
});

test('an event is renamed with its host, and no other', () => {
  const base = { kind: 'host.oom', timeMs: 0, observedMs: 0, trust: 'kernel', source: 'kernel-log' } as const;
  const gpu = { type: 'gpu', id: '0000:9b:00.0', host: 'dmesg' } as const;
  assert.deepEqual(asOf('node-1', { ...base, component: gpu }, ['node-1', 'dmesg']).component, {
    ...gpu,
    host: 'node-1',
  });
  assert.deepEqual(asOf('node-1', { ...base, component: { type: 'host', id: 'dmesg' } }, ['dmesg']).component, {
    type: 'host',
    id: 'node-1',
  });
  const other = { ...base, component: { type: 'host', id: 'node-9' } } as const;
  assert.equal(asOf('node-1', other, ['dmesg']), other);
});

test('each folder with a kernel log is a host that is called like it, with the logs of jobs in it', () => {
  const logs = new Map([
    ['dmesg', { kernel: true, folder: '/logs/node-1' }],
    ['job', { kernel: false, folder: '/logs/node-1' }],
    ['node-2:dmesg', { kernel: true, folder: '/logs/node-2' }],
  ]);
  assert.deepEqual(hostsOf(new Set(), logs), [
    { name: 'node-1', foundAs: ['dmesg', 'job'] },
    { name: 'node-2', foundAs: ['node-2:dmesg'] },
  ]);
});
