// V8's last compiler rests in a daemon that is at rest, works while a log is followed for seconds, and rests again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepsBusy, lastCompilerIsOn, restLastCompiler } from '../../src/helpers/last-compiler.ts';

test('a command that ends soon keeps V8 as it is', () => {
  for (let ms = 0; ms < 10_000; ms += 200) keepsBusy(ms);
  assert.equal(lastCompilerIsOn(), true);
});

test('it is on once a daemon was busy for three seconds on end, and off a minute after the last of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  restLastCompiler();
  assert.equal(lastCompilerIsOn(), false);
  for (let ms = 20_000; ms < 22_800; ms += 200) keepsBusy(ms);
  for (let ms = 28_000; ms < 31_000; ms += 200) keepsBusy(ms);
  assert.equal(lastCompilerIsOn(), false, 'with a pause between');
  keepsBusy(31_000);
  assert.equal(lastCompilerIsOn(), true);
  t.mock.timers.tick(59_000);
  assert.equal(lastCompilerIsOn(), true);
  t.mock.timers.tick(1_001);
  assert.equal(lastCompilerIsOn(), false);
  for (let ms = 100_000; ms < 104_000; ms += 200) keepsBusy(ms);
  assert.equal(lastCompilerIsOn(), true, 'as often as that is');
});
