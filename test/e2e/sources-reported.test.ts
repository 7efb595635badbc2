// The daemon's log reports which sources work as soon as each has looked once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonUnderTest } from './daemon-under-test.ts';

test('sources are reported once each has looked, not after a fixed time', async (t) => {
  const daemon = new DaemonUnderTest({ gpus: 2 });
  t.after(() => daemon.close());
  await daemon.start();
  const line = (begins: string) =>
    daemon.stderr
      .split('\n')
      .filter((text) => text.includes(`"msg":"${begins}`))
      .map((text) => JSON.parse(text))[0];
  await daemon.until('the sources are reported', () => line('sources; ') !== undefined);
  const { works, in_part, not_here, no_rights, failed, time } = line('sources; ');
  const all = [works, in_part, not_here, no_rights, failed].flat();
  assert.ok(all.some((text) => text.startsWith('gpu: ')));
  assert.deepEqual(
    all.filter((text) => text.includes('starting')),
    [],
  );
  const afterMs = Date.parse(time) - Date.parse(line('started').time);
  assert.ok(afterMs < 9_000, `${afterMs} ms after the start`);
});
