// Who could have written a saved log: by owner, modes and place, never by what the log says.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Author, authorBy, authorInside, authorOf } from '../../../src/sources/saved-text/author.ts';

const PERSON = 1234;
const SLURM = 64_030;
const READABLE = 0o100_644;
const fine = { doubt: null, by: null } as const;
const owned = { doubt: 'it belongs to another', by: 'owner' } as const;
const open = { doubt: 'others may write it', by: 'mode' } as const;

test('only what services alone can write, where they write it, is theirs', () => {
  const log = '/var/log/slurm/slurmctld.log';
  const rows: [string, Parameters<typeof authorBy>, Author][] = [
    ['a log of root', [{ path: log, ...fine }, { uid: 0, mode: READABLE }, PERSON], 'system'],
    ['a log of a service', [{ path: log, ...fine }, { uid: 104, mode: READABLE }, 0], 'system'],
    ['of a service with the number of a person', [{ path: log, ...owned }, { uid: SLURM, mode: READABLE }, 0], 'unknown'],
    ['in a folder that others write', [{ path: log, ...open }, { uid: 0, mode: READABLE }, 0], 'user'],
    ['that everybody writes', [{ path: log, ...fine }, { uid: 0, mode: 0o100_666 }, 0], 'user'],
    ['a copy of root', [{ path: '/root/slurmctld.log', ...fine }, { uid: 0, mode: READABLE }, 0], 'unknown'],
    ['a copy of who reads it', [{ path: '/home/a/x.log', ...open }, { uid: PERSON, mode: 0o100_664 }, PERSON], 'unknown'],
    ['of a user, read by root', [{ path: '/home/a/x.log', ...owned }, { uid: PERSON, mode: READABLE }, 0], 'user'],
    ['of a user, read by another', [{ path: '/home/a/x.log', ...owned }, { uid: PERSON, mode: READABLE }, 1001], 'user'],
    ['of a share that names no owner', [{ path: '/nfs/x.log', ...owned }, { uid: 65_534, mode: READABLE }, 0], 'unknown'],
    ['with a name that only looks so', [{ path: '/home/var/log/x', ...fine }, { uid: 0, mode: READABLE }, 0], 'unknown'],
  ]; // biome-ignore format: one case a line
  for (const [what, given, author] of rows) assert.equal(authorBy(...given), author, what);
});

test('what everybody may write, or may put in its place, is anybody’s; what was packed is at most a copy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-author-'));
  try {
    const path = join(folder, 'slurmctld.log');
    writeFileSync(path, 'x\n', { mode: 0o600 });
    assert.equal(await authorOf(path, statSync(path)), 'unknown');
    chmodSync(path, 0o666);
    assert.equal(await authorOf(path, statSync(path)), 'user');
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o777);
    const inside = join(folder, 'open', 'kern.log');
    writeFileSync(inside, 'x\n', { mode: 0o600 });
    // Whoever reads it as root did not look who put it there.
    assert.equal(await authorOf(inside, statSync(inside), 0), 'user');
    assert.equal(await authorOf(join(folder, 'gone'), statSync(path)), 'unknown');
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.deepEqual((['system', 'unknown', 'user'] as const).map(authorInside), ['unknown', 'unknown', 'user']);
});
