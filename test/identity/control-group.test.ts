// Control groups: the group of a service is reported from those that are shared; hostile text names none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceControlGroup } from '../../src/identity/control-group.ts';

test('the group of a service, in both versions of the file', () => {
  const group = '/system.slice/faultline.service';
  for (const text of [
    `0::${group}`,
    `3:cpu:/\n4:memory:${group}\n0::/\n`,
    `4:cpu,memory:${group}\n`,
    `4:memory,cpu:${group}`,
  ])
    assert.equal(serviceControlGroup(text), group, text);
});

test('a session, a container, the root group, another controller and any other text are none', () => {
  const odd = [
    '',
    '\n',
    '0::/',
    '0::relative.service',
    '1:cpu:/a.service',
    'x:memory:/a.service',
    '0::/kubepods/pod1/abc',
  ];
  for (const text of [...odd, '0::/user.slice/user-1000.slice/session-3.scope', `0::/${'x'.repeat(100_000)}`])
    assert.equal(serviceControlGroup(text), null, text.slice(0, 60));
});
