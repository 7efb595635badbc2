// A fault reported with and without its device is one link of the chain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutNameless } from '../../../src/correlation/explain/nameless.ts';
import type { ChainLink } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';

function link(eventId: string, kind: Kind, device: string | null, causedBy: readonly string[] = []): ChainLink {
  const component = device === null ? null : ({ type: 'gpu', id: device, host: 'node-1' } as const);
  return {
    eventId,
    kind,
    component,
    severity: 'error',
    timeMs: 0,
    timeDigits: 3,
    interval: { earliestMs: 0, latestMs: 0 },
    causedBy,
    lagMs: null,
    confidence: 0.9,
    orderUnknown: false,
  };
}

const ROOT = link('root', 'gpu.memory.contained', '0000:61:00.0');
const brief = (chain: readonly ChainLink[]) => chain.map(({ eventId, causedBy }) => [eventId, ...causedBy]);

test('a fault without a device next to the same with one is one link, and what followed follows from that', () => {
  const chain = [
    ROOT,
    link('exception', 'gpu.memory.uncorrectable', null, ['root']),
    link('counter', 'gpu.memory.uncorrectable', '0000:61:00.0', ['root']),
    link('crash', 'job.rank_crashed', null, ['exception']),
  ];
  assert.deepEqual(brief(withoutNameless(chain)), [['root'], ['counter', 'root'], ['crash', 'counter']]);
});

test('a link has the causes of the one without a device, and is not its own cause', () => {
  const chain = [
    ROOT,
    link('exception', 'gpu.memory.uncorrectable', null, ['root']),
    link('counter', 'gpu.memory.uncorrectable', '0000:61:00.0', ['exception']),
  ];
  assert.deepEqual(brief(withoutNameless(chain)), [['root'], ['counter', 'root']]);
});

test('a fault that nothing names stays, and so does a root', () => {
  const chain = [ROOT, link('exception', 'gpu.memory.uncorrectable', null, ['root'])];
  assert.equal(withoutNameless(chain), chain);
  const rooted = [
    link('exception', 'gpu.memory.uncorrectable', null),
    link('counter', 'gpu.memory.uncorrectable', '0000:61:00.0', ['exception']),
  ];
  assert.equal(withoutNameless(rooted), rooted);
});
