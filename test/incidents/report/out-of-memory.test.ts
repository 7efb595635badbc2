// A kill for want of memory: of a limit it is the program's, of a whole host the host's, and a process that is dead is not one to debug.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceText, stepRows } from '../../../src/incidents/report/steps.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { event, incident } from '../sample.ts';

const PROCESS = { type: 'process', id: '48211', host: 'node-3' } as const;

function killed(attributes: Attributes): Incident {
  const base = incident('7f3c41d2a0b1');
  const kill = event('k', 'host.oom', PROCESS, {
    attributes: { pid: 48211, process: 'python3', uid: 1000, ...attributes },
  });
  return {
    ...base,
    events: [kill],
    root: { ...base.root, kind: 'host.oom', component: PROCESS, eventId: kill.id },
    action: { kind: 'debug_app', target: PROCESS, why: '' },
  };
}

function texts(attributes: Attributes): string[] {
  const one = killed(attributes);
  return [adviceText(one), ...stepRows(one, 'UTC').map(({ text }) => text)];
}

test('where the host ran out the report says of how much, and who held it', () => {
  const [does = '', now = '', call = ''] = texts({
    scope: 'host',
    ram_kib: 528_482_304,
    shmem_kib: 52_428_800,
    largest: 'python3 (48211) 192 GiB, data loader (50100) 35.6 GiB',
  });
  assert.equal(
    does,
    'see what filled the memory of node-3 (504 GiB in all): python3 (48211) 192 GiB, data loader (50100) 35.6 GiB, shared memory 50 GiB',
  );
  assert.match(now, /^on node-3, ps -eo pid,user,rss,args --sort=-rss \| head, and df -h \/dev\/shm: /);
  assert.match(call, /^who runs node-3; then who runs .*uid 1000/);
  for (const text of [does, now, call]) assert.doesNotMatch(text, /in the program|stay in service|debug/);
});

test('nothing is to be ended where the process that held most of it has ended', () => {
  const now = (facts: Attributes) => texts({ scope: 'host', ...facts })[1] ?? '';
  const ended = /^what held it has ended: let its owner make it smaller/;
  assert.match(now({ anon_rss_kib: 201_326_592 }), ended);
  assert.match(now({ anon_rss_kib: 201_326_592, ram_kib: 264_241_152 }), ended);
  assert.match(now({ anon_rss_kib: 20_132_659, ram_kib: 264_241_152 }), /end what an earlier job left there/);
});

test('with the line of the kill alone it is what the process that was killed held', () => {
  const [does] = texts({ scope: 'host', anon_rss_kib: 201_326_592 });
  assert.equal(does, 'see what filled the memory of node-3: python3 (48211), which was killed, 192 GiB');
});

test('a small process that was killed for its score did not fill the host, and no job is asked for it', () => {
  const [does, , call] = texts({ scope: 'host', anon_rss_kib: 61_332, process: 'dcgm-exporter', uid: 0 });
  assert.equal(does, 'see what filled the memory of node-3: dcgm-exporter (48211), which was killed, held only 60 MiB');
  assert.equal(call, 'who runs node-3');
  assert.match(
    texts({ scope: 'host', anon_rss_kib: 61_332, memcg: '/slurm/uid_1000/job_991' })[2] ?? '',
    /then who runs slurm job 991/,
  );
});

test('a limit that was reached is named, and the host can stay in service', () => {
  const [does = '', now = '', call = ''] = texts({ constraint: 'CONSTRAINT_MEMCG', limit_kib: 67_108_864 });
  assert.equal(does, 'debug the program of node-3 process 48211, which ended: it reached its memory limit of 64 GiB');
  assert.match(now, /^give its job or pod a higher limit.* node-3 can stay in service$/);
  assert.match(call, /uid 1000/);
});

test('of several kills of a host within seconds the biggest filled it, whichever the kernel took first', () => {
  const base = killed({ scope: 'host', process: 'sshd', uid: 0, anon_rss_kib: 900 });
  const held = { pid: 50_333, process: 'python3', uid: 3001, scope: 'host', anon_rss_kib: 150_994_944 };
  const second = event('m', 'host.oom', { ...PROCESS, id: '50333' }, { attributes: held });
  const both = { ...base, events: [...base.events, second] };
  assert.equal(adviceText(both), 'see what filled the memory of node-3: python3 (50333), which was killed, 144 GiB');
  assert.match(
    stepRows(both, 'UTC')
      .map(({ text }) => text)
      .join('\n'),
    /uid 3001/,
  );
  const elsewhere = { ...second, component: { ...PROCESS, id: '50333', host: 'node-4' } };
  assert.match(adviceText({ ...base, events: [...base.events, elsewhere] }), /sshd \(48211\)/);
});
