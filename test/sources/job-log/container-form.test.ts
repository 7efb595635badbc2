// What a container printed, out of what its runtime wrote of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContainerForm } from '../../../src/sources/job-log/container-form.ts';

const AT = '2026-11-28T01:16:50.123456789Z';

test('whole lines of CRI and of Docker lose what the runtime put before them; others stay', () => {
  const form = new ContainerForm();
  assert.equal(form.take(`${AT} stdout F step: 1  loss: 2.5`), 'step: 1  loss: 2.5');
  assert.equal(form.take(`${AT.replace('Z', '+09:00')} stderr F `), '');
  assert.equal(form.take('{"log":"step: 2\\n","stream":"stdout","time":"2026-11-28T01:16:51Z"}'), 'step: 2');
  assert.equal(form.take('{"log": broken'), '{"log": broken');
  assert.equal(form.take(`${AT} stdin F not a stream`), `${AT} stdin F not a stream`);
});

test('a line in parts comes as one, and one without an end is cut', () => {
  const form = new ContainerForm();
  assert.equal(form.take(`${AT} stdout P Watchdog caught `), null);
  assert.equal(form.take(`${AT} stdout F collective`), 'Watchdog caught collective');
  assert.equal(form.take('{"log":"a","stream":"stdout"}'), null);
  assert.equal(form.take('{"log":"b\\n","stream":"stdout"}'), 'ab');
  for (let i = 0; i < 100; i += 1) assert.equal(form.take(`${AT} stdout P ${'x'.repeat(1000)}`), null);
  assert.equal(form.take(`${AT} stdout F end`)?.length, 65_536);
});
