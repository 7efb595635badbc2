// Names of users from the host's own file, whatever lines it has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usersOf } from '../../src/sources/users.ts';

test('each number has the first name that the file gives it, and odd lines are passed over', () => {
  const text =
    'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nalias:x:1000:1000::/:\n+@team\nx y:x:5:5::/:\n:x:7:7::/:\nbob:x:-1:0::/:\n\n';
  assert.deepEqual([...usersOf(text)], [[0, 'root'], [1000, 'ada']]); // biome-ignore format: one line
  assert.equal(usersOf('').size, 0);
});
