// The thread that reads the configuration says what reading it here says, and ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTree } from '../../src/config/check-tree.ts';
import { configSchema } from '../../src/daemon/config.ts';
import { configInThread } from '../../src/daemon/config-in-thread.ts';

for (const [what, text] of [
  ['a good one', `host: node-3\nsources:\n  pdu:\n    - {name: a, host: 10.0.0.1, community: "\${COMMUNITY}"}\n`],
  ['one with a wrong word and a wrong value', 'hots: node-3\nsources: {gpu: {interval: soon}}\n'],
  ['one that is not YAML', 'host: [a\n'],
  ['an empty one', ''],
] as const) {
  test(`the same values, places and problems as here: ${what}`, async () => {
    const environment = { COMMUNITY: 'public', NOT_SET: undefined };
    assert.deepEqual(
      await configInThread(text, environment),
      structuredClone(checkTree(text, configSchema, environment)),
    );
  });
}

test('the deepest nesting that a file can hold is a problem, not the end of the process', async () => {
  const { problems } = await configInThread('['.repeat(100_000), {});
  assert.equal(problems.length > 0, true);
});

test('where the thread cannot take it over it is read here', async () => {
  const unclonable = Symbol('nothing that a thread can be given') as unknown as string; // as no environment has
  const text = 'host: node-3\nsources: {gpu: {interval: soon}}\n';
  assert.deepEqual(await configInThread(text, { ODD: unclonable }), checkTree(text, configSchema, {}));
});
