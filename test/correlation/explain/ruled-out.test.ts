// Ruled out: what an incident says was looked for and not found is true of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/xid.json' with { type: 'json' };
import { isKind } from '../../../src/model/kind.ts';
import { correlator, event, GPUS, run } from '../fixtures.ts';

const [GPU = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;

function notFound(events: Parameters<typeof run>[1]): string[] {
  const { last } = run(correlator(), events);
  return last.flatMap(({ ruledOut }) => ruledOut.map(({ what, why }) => `${what} (${why})`));
}

test('"no XID within 10 min" is not said of what an XID reports, nor next to one', () => {
  const kinds = new Set(Object.values(catalog.xids).map(({ kind }) => kind));
  assert.ok(kinds.size > 20);
  for (const kind of kinds) {
    if (!isKind(kind)) assert.fail(kind);
    const at = kind.startsWith('nvlink') ? `nvlink/${GPU.slice(4)}/3` : GPU;
    const xid = event(0, kind, at, kernel);
    const other = event(60, 'host.oom', 'process/77', kernel);
    assert.ok(!notFound([xid, other]).some((text) => text.startsWith('GPU fault')), kind);
  }
});

test('where the kernel log is read and has none, it is said', () => {
  const oom = event(0, 'host.oom', 'process/77', kernel);
  assert.ok(notFound([oom]).includes('GPU fault (no XID within 10 min)'));
});

test('what an incident says was not there is taken back when it comes, in the same incident or another', () => {
  const heard = { trust: 'system', source: 'job-log' } as const;
  const said = (what: string, events: Parameters<typeof run>[1]) =>
    notFound(events).filter((text) => text.startsWith(what));
  const lockup = event(0, 'host.soft_lockup', 'host/node-3', kernel);
  assert.equal(said('GPU fault', [lockup]).length, 1);
  assert.deepEqual(said('GPU fault', [lockup, event(60, 'gpu.gsp_timeout', GPU, kernel)]), []);
  assert.equal(said('GPU fault', [lockup, event(900, 'gpu.gsp_timeout', GPU, kernel)]).length, 1);
  const full = event(0, 'host.disk_full', 'host/node-3', heard);
  const failed = event(1, 'job.checkpoint_failed', 'job/7', heard);
  assert.equal(said('saved checkpoint or job change', [full]).length, 1);
  assert.deepEqual(said('saved checkpoint or job change', [full, failed]), []);
});
