// Which log the commands on incidents are about when nobody says.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { logDirectoryOf } from '../../src/commands/incident-context.ts';
import { asAnybody } from '../as-anybody.ts';

const folder = mkdtempSync(join(tmpdir(), 'context-'));
after(() => rmSync(folder, { recursive: true }));
const system = join(folder, 'system');
const own = join(folder, 'own');
const before = { LOGS_DIRECTORY: process.env.LOGS_DIRECTORY, FAULTLINE_CONFIG: process.env.FAULTLINE_CONFIG };
after(() => Object.assign(process.env, before));
process.env.LOGS_DIRECTORY = own;
delete process.env.FAULTLINE_CONFIG;

test('a log that this user may not look at is no empty log, unless there is an own one', async (t) => {
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0 });
  t.after(() => rmSync(own, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  assert.equal(await asAnybody(() => logDirectoryOf({}, closed)), closed);
  mkdirSync(own);
  writeFileSync(join(own, 'incidents.jsonl'), '');
  assert.equal(await asAnybody(() => logDirectoryOf({}, closed)), own);
});

test('the user’s own log, the system daemon’s where there is no own one, and always the one that is named', async () => {
  assert.equal(await logDirectoryOf({}, system), own, 'no log anywhere: the own folder, where one would be');
  mkdirSync(system);
  writeFileSync(join(system, 'incidents.jsonl'), '');
  assert.equal(await logDirectoryOf({}, system), system);
  mkdirSync(own);
  writeFileSync(join(own, 'incidents.jsonl'), '');
  assert.equal(await logDirectoryOf({}, system), system, 'a daemon tried by hand left an empty log');
  writeFileSync(join(own, 'incidents.jsonl'), '{}\n');
  assert.equal(await logDirectoryOf({}, system), own);
  assert.equal(await logDirectoryOf({ logDirectory: '/elsewhere' }, system), '/elsewhere');
});
