// Names of users that only the host's name service has: asked once, bounded, and never waited for.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OwnProcesses } from '../../../src/identity/own-processes.ts';
import { UserNames } from '../../../src/sources/processes/user-names.ts';
import { until } from '../../until.ts';

/** Counts the programs that were started, and those that ended. */
class Started extends OwnProcesses {
  begun = 0;
  ended = 0;

  override add(...of: Parameters<OwnProcesses['add']>): () => void {
    this.begun += 1;
    const forget = super.add(...of);
    return () => {
      this.ended += 1;
      forget();
    };
  }
}

/** A getent that runs `script`, and the names that came of it. */
function asking(t: TestContext, script: string, deadlineMs = 30_000) {
  const folder = mkdtempSync(join(tmpdir(), 'fl-users-'));
  const abort = new AbortController();
  t.after(() => {
    abort.abort();
    rmSync(folder, { recursive: true, force: true });
  });
  const program = join(folder, 'getent');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const names = new Map<number, string>();
  const clock = { ms: 0 };
  const own = new Started({ now: () => clock.ms });
  const users = new UserNames({
    now: () => clock.ms,
    passwd: async () => 'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/:\n',
    named: (id, name) => names.set(id, name),
    own,
    signal: abort.signal,
    program,
    deadlineMs,
  });
  const find = (...ids: number[]) => users.find(() => new Set(ids.filter((id) => !names.has(id))));
  return { names, clock, find, own };
}

test('the file first, then the name service for those it lacks, each once', async (t) => {
  const script = 'shift; for id in "$@"; do [ "$id" = 5001 ] && echo "grace:*:5001:5001::/home/grace:/bin/sh"; done; echo "mallory:*:7:7::/:"; exit 2'; // biome-ignore format: one line
  const { names, clock, find, own } = asking(t, script);
  await find(0, 1000, 5001, 5002);
  assert.deepEqual([...names], [[0, 'root'], [1000, 'ada']]); // biome-ignore format: one line
  await until(() => own.ended === 1);
  assert.deepEqual([...names].slice(2), [[5001, 'grace']]);
  // Whom it does not know is asked for again after a while only; whoever is new at once.
  await find(0, 1000, 5001, 5002);
  assert.equal(own.begun, 1);
  await find(5002, 5003);
  assert.equal(own.begun, 2);
  await until(() => own.ended === 2);
  clock.ms += 700_000;
  await find(5002);
  assert.equal(own.begun, 3);
});

test('users of the system are not asked for: their names are in the file or nowhere', async (t) => {
  const { find, own } = asking(t, 'exit 2');
  await find(33, 999);
  assert.equal(own.begun, 0);
});

for (const [what, script, deadlineMs] of [
  ['does not answer', 'sleep 3600', 300],
  ['cannot ask', 'exit 3', 30_000],
  ['answers without end', 'yes', 30_000],
] as const)
  test(`a name service that ${what} holds up nothing, and is left alone for a while`, async (t) => {
    const { names, clock, find, own } = asking(t, script, deadlineMs);
    await find(5001);
    await until(() => own.ended === 1);
    await find(5001, 5002);
    assert.equal(own.begun, 1);
    assert.deepEqual([...names.keys()], [0, 1000]);
    clock.ms += 700_000;
    await find(5001);
    assert.equal(own.begun, 2);
  });
