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
