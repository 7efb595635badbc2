// A CUDA error of the kind that a wrong pointer and a failed GPU share is not flatly the program's: the kernel log decides.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceText, stepRows } from '../../../src/incidents/report/steps.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event, incident } from '../sample.ts';

const RANK = { type: 'rank', id: '8812/5', parent: 'job/8812', host: 'node-3' } as const;

function texts(message: string, ...more: readonly FaultEvent[]): string[] {
  const base = incident('7f3c41d2a0b1');
  const crash = event('c', 'job.rank_crashed', RANK, { attributes: { exception: 'RuntimeError', message } });
  const one = {
    ...base,
    events: [crash, ...more],
    root: { ...base.root, kind: 'job.rank_crashed', component: RANK, eventId: crash.id },
    action: { kind: 'debug_app', target: RANK, why: '' },
  } as const;
  return [adviceText(one), ...stepRows(one, 'UTC').map(({ text }) => text)];
}

test('the log of the driver comes first, and its owner has a step where that has nothing', () => {
  for (const words of ['an illegal memory access was encountered', 'unspecified launch failure']) {
    const [does = '', now = ''] = texts(`CUDA error: ${words}`);
    assert.match(does, /^see whether the GPU failed, then debug job 8812 rank 5/);
    assert.match(
      now,
      /^first on node-3, sudo dmesg -T \| grep -i xid at .* CUDA_LAUNCH_BLOCKING=1 or under compute-sanitizer/,
    );
  }
  assert.match(
    texts('HIP error: an illegal memory access was encountered')[1] ?? '',
    /grep -i amdgpu .*AMD_SERIALIZE_KERNEL/,
  );
});

test('an assertion is the program’s own, and where the driver has said an XID nothing is to be looked for', () => {
  const [, now = ''] = texts('CUDA error: device-side assert triggered');
  assert.match(now, /most likely it is the program/);
  const xid = event('x', 'gpu.app_fault', RANK, { attributes: { xid: 31 } });
  assert.match(
    texts('CUDA error: an illegal memory access was encountered', xid)[1] ?? '',
    /most likely it is the program/,
  );
});
