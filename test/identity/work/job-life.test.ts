// What is left of a job's processes: those that were never seen are not gone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { Work } from '../../../src/identity/work/work.ts';

const work = (id: string, pids: readonly (number | null)[], more: Partial<Work> = {}): Work => ({
  id,
  aliases: [],
  manager: 'slurm',
  name: null,
  user: null,
  account: null,
  queue: null,
  pods: [],
  ranks: pids.map((pid, rank) => ({ rank, localRank: rank, pid, gpus: [], nics: [], pod: null, role: '', knownBy: 'RANK' })),
  worldSize: null,
  framework: null,
  logs: [],
  step: null,
  attempt: null,
  startedMs: null,
  knownBy: [],
  ...more,
}); // biome-ignore format: one value a line

test('processes of a job are there, are fewer, and are gone, under each of its names', () => {
  const identity = new Identity('node-1');
  const show = (...works: Work[]) => identity.work.play({ works, devices: [], conflicts: [] });
  assert.equal(identity.lifeOf('llama'), null, 'none was ever seen');
  show(work('991', [11, 12, 13], { aliases: ['llama'] }));
  assert.deepEqual(identity.lifeOf('llama'), { alive: 3, gone: 0 });
  show(work('991', [11, 13], { aliases: ['llama'] }));
  assert.deepEqual(identity.lifeOf('991'), { alive: 2, gone: 1 });
  show();
  assert.deepEqual(identity.lifeOf('llama'), { alive: 0, gone: 3 });
});

test('a job that only its scheduler knows has no processes that could be gone', () => {
  const identity = new Identity('node-1');
  identity.work.play({ works: [work('991', [null, null])], devices: [], conflicts: [] });
  assert.equal(identity.lifeOf('991'), null);
});

test('a job that is over and begins again with fewer ranks has lost none', () => {
  const identity = new Identity('node-1');
  const show = (...works: Work[]) => identity.work.play({ works, devices: [], conflicts: [] });
  show(work('991', [11, 12]));
  const over = { kind: 'job.requeued', component: { type: 'job', id: '991' }, timeMs: 1, observedMs: 1, trust: 'system', state: 'point', source: 'slurm' } as const; // biome-ignore format: one line
  identity.heard(over);
  show(work('991', [21]));
  assert.deepEqual(identity.lifeOf('991'), { alive: 1, gone: 0 });
});
