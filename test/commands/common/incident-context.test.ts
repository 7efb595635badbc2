// Which log the commands on incidents are about when none is named.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type LogOptions, logDirectoryOf } from '../../../src/commands/common/incident-context.ts';
import { surroundingsOfProcess } from '../../../src/config/load-config.ts';
import { asAnybody } from '../../as-anybody.ts';

const folder = mkdtempSync(join(tmpdir(), 'context-'));
after(() => rmSync(folder, { recursive: true }));
const system = join(folder, 'system');
const own = join(folder, 'own');
const surroundings = {
  ...surroundingsOfProcess(),
  environment: { LOGS_DIRECTORY: own },
  standardFile: join(folder, 'no-such.yaml'),
};
const logOf = (options: LogOptions, systemLog: string): Promise<string> =>
  logDirectoryOf(options, systemLog, surroundings);

test('a log that this user may not look at is not an empty log, unless there is an own one', async (t) => {
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0 });
  t.after(() => rmSync(own, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  assert.equal(await asAnybody(() => logOf({}, closed)), closed);
  mkdirSync(own);
  writeFileSync(join(own, 'incidents.jsonl'), '');
  assert.equal(await asAnybody(() => logOf({}, closed)), own);
});

test('the user’s own log, the system daemon’s where there is no own one, and always the one that is named', async () => {
  assert.equal(await logOf({}, system), own, 'no log anywhere: the own folder, where one would be');
  mkdirSync(system);
  writeFileSync(join(system, 'incidents.jsonl'), '');
  assert.equal(await logOf({}, system), system);
  mkdirSync(own);
  writeFileSync(join(own, 'incidents.jsonl'), '');
  assert.equal(await logOf({}, system), system, 'a daemon tried by hand left an empty log');
  writeFileSync(join(own, 'incidents.jsonl'), '{}\n');
  assert.equal(await logOf({}, system), own);
  assert.equal(await logOf({ logDirectory: '/elsewhere' }, system), '/elsewhere');
});

test('of a configuration only the place of the log is read: secrets that are missing, and what else is wrong, do not matter', async () => {
  const file = join(folder, 'faultline.yaml');
  const others = [
    'sources: {bmc: [{url: "https://bmc", user: u, password_file: /no/such/secret}]}',
    'sources: {pdu: [{host: pdu, community: "${NO_SUCH_VARIABLE}"}]}',
    'otlp: {endpoint: "https://c:4317", headers_file: /no/such}\nnonsense: 3',
    'sources: [',
  ];
  for (const other of others) {
    writeFileSync(file, `directories:\n  log: logs/here\n${other}\n`);
    assert.equal(await logOf({ config: file }, system), join(folder, 'logs/here'), other);
  }
  writeFileSync(file, 'directories: {log: "${NO_SUCH_VARIABLE}"}\n');
  await assert.rejects(logOf({ config: file }, system), /faultline\.yaml:1:.*NO_SUCH_VARIABLE/);
});

test('a configuration of the system that this user may not read gives no reason to read nothing', async (t) => {
  const hidden = join(folder, 'hidden.yaml');
  writeFileSync(hidden, 'directories: {log: /elsewhere}\n', { mode: 0o600 });
  t.after(() => rmSync(hidden));
  const own = join(folder, 'nothing-here');
  const given = { ...surroundings, environment: { LOGS_DIRECTORY: own }, standardFile: hidden };
  if (process.geteuid?.() === 0) assert.equal(await asAnybody(() => logDirectoryOf({}, system, given)), system);
  assert.equal(await logDirectoryOf({ logDirectory: '/x' }, system, given), '/x');
});
