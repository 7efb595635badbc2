// The daemon's own log: safe on a terminal and in the journal, with RFC 3339 times, priorities, and no password of a URL.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder } from '../run-cli.ts';

const MODULE = new URL('../../../src/commands/run/daemon-log.ts', import.meta.url).href;
const HOSTILE = 'dev\u001b]0;x\u0007 \u009b2J \u202eevil\u2066\u200b\u2028\u061c \ud800';
const URL_TEXT = 'cannot reach https://user:hunter2x\\y@10.0.0.1/redfish';

/** What its own process logs to a file; `journal`: $JOURNAL_STREAM names that very file, or another one. */
async function logged(journal: 'none' | 'this' | 'other'): Promise<string> {
  const path = join(folder(), 'log');
  const file = openSync(path, 'w');
  const { dev, ino } = fstatSync(file, { bigint: true });
  const stream = {
    none: {},
    this: { JOURNAL_STREAM: `${dev}:${ino}` },
    other: { JOURNAL_STREAM: `${dev}:${ino + 1n}` },
  };
  const code = `
    const { daemonLog } = await import(${JSON.stringify(MODULE)});
    const { logger: log } = daemonLog('debug', 'node-3');
    const said = JSON.parse(process.argv[1]);
    log.info({ device: said.hostile }, said.hostile);
    log.warn({ nested: { url: said.url } }, said.url);
    log.error('plain'); log.debug('small'); log.fatal('end');`;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', code, JSON.stringify({ hostile: HOSTILE, url: URL_TEXT })],
    { stdio: ['ignore', 'inherit', file], env: { PATH: process.env.PATH, ...stream[journal] } },
  );
  closeSync(file);
  assert.deepEqual(await once(child, 'close'), [0, null]);
  return readFileSync(path, 'utf8');
}

test('every line is ASCII where others wrote into it, reads back, has an RFC 3339 time, and hides what URLs hide', async () => {
  const text = await logged('none');
  assert.match(text, /^[\x20-\x7e\n]*$/);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 5);
  assert.equal(lines[0].device, HOSTILE);
  assert.equal(lines[1].msg, 'cannot reach https://(redacted)@10.0.0.1/redfish');
  assert.equal(lines[1].nested.url, lines[1].msg);
  for (const { time } of lines) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('in the journal, and only there, each line begins with its priority', async () => {
  const priorities = (text: string): string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 3));
  assert.deepEqual(priorities(await logged('this')), ['<6>', '<4>', '<3>', '<7>', '<2>']);
  for (const line of priorities(await logged('other'))) assert.equal(line, '{"l');
});
