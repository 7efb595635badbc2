// faultline rules: what scripts get of tests that pass, tests that fail, and rules that cannot be used.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFile, faultline } from './run-cli.ts';

const SITE = join(import.meta.dirname, '..', 'detection', 'user-rules', 'site.yaml');

test('tests that pass end with 0, one that fails with 1 and its place, wrong rules with 2', async () => {
  const passed = await faultline(['rules', 'test', SITE]);
  assert.equal(passed.status, 0, passed.stderr);
  assert.match(passed.stdout, /^pass {2}double_bit_errors: three in time/);
  assert.match(passed.stdout, /(\d+) of \1 tests pass\n$/);
  const path = configFile(
    'rules:\n  - name: mine\n    events: {kind: [gpu.lost]}\n    tests:\n      - {name: t, given: [{at: 0s, kind: gpu.lost}], fires: 3}\n',
  );
  const failed = await faultline(['rules', 'test', path]);
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /FAIL {2}mine: t\n {6}.*:5: it is reported once, not 3 times/);
  const wrong = await faultline(['rules', 'check', configFile('rules:\n  - {name: mine}\n')]);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /:2:5: rules\[0\] needs one of events, threshold and absent/);
});

test('print --detectors says where a limit was set', async () => {
  const path = configFile('detectors: [{name: host-cpu-steal, above: 0.3}]\n');
  const { stdout } = await faultline(['config', 'print', '--detectors', '--config', path]);
  assert.match(stdout, /cpu_steal of host: > 0\.3 for 20 s[\s\S]*?set in: .*:1\n/);
  const { stdout: json } = await faultline(['config', 'print', '--detectors', '--json', '--config', path]);
  const { detectors } = JSON.parse(json);
  assert.ok(detectors.some(({ origin }: { origin: string }) => origin === 'built in'));
});
