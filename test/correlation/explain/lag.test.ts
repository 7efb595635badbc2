// The lag of a link as it is published and as it is read back from the log.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, run } from '../fixtures.ts';

test('a lag has no more digits than the log keeps: what is sent again after a restart is what was sent', () => {
  const killed = (s: number, pid: number) => event(s, 'host.oom', `process/${pid}`);
  const chain = run(correlator([]), [killed(0.1, 51_001), killed(1.1771, 51_002)]).last[0]?.chain ?? [];
  const lagMs = chain[1]?.lagMs ?? Number.NaN;
  assert.equal(lagMs, 1077.1);
});
