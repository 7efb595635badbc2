// Own program: what a message proposes can be typed where the program was started.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { faultline } from '../commands/run-cli.ts';
import { PROGRAM } from '../program.ts';

const CHECKOUT = { program: PROGRAM };
/** The script of the checkout, which finds a Node that can run it, from whatever folder. */
const STARTED = String.raw`\.{0,2}/\S*?scripts/faultline`;

test('a checkout proposes what starts it, an installation its command', async () => {
  const words = ['incidents', '--log-directory', '/nonexistent'];
  const [here, installed] = [await faultline(words, CHECKOUT), await faultline(words)];
  assert.match(here.stderr, new RegExp(`^FL3127 [^\\n]* or ${STARTED} run; or name the log`));
  assert.match(installed.stderr, /^FL3127 [^\n]* or faultline run; or name the log/);
});

test('help shows examples that can be typed there', async () => {
  const { stdout } = await faultline(['--help'], CHECKOUT);
  assert.match(stdout, new RegExp(`^ {2}${STARTED} doctor\n +what this host`, 'm'));
  assert.match(stdout, new RegExp(`^ {2}${STARTED} COMMAND --help`, 'm'));
  assert.match((await faultline(['--help'])).stdout, /^ {2}faultline doctor\n +what this host/m);
});

test('headings, rules and documents stay as they are', async () => {
  assert.match((await faultline(['doctor'], CHECKOUT)).stdout, /^faultline doctor · /);
  const [here, installed] = [
    await faultline(['patterns', '--rules'], CHECKOUT),
    await faultline(['patterns', '--rules']),
  ];
  assert.equal(here.stdout, installed.stdout);
  assert.match(here.stdout, /faultline /);
});

test('from another folder it is a path that can be pasted anywhere, and where the path has the command that', async () => {
  const words = ['incidents', '--log-directory', '/nonexistent'];
  const bare = dirname(process.execPath);
  const [from, has] = [mkdtempSync(join(tmpdir(), 'fl-own-')), mkdtempSync(join(tmpdir(), 'fl-own-'))];
  writeFileSync(join(has, 'faultline'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(from, 'faultline'), ''); // not to be started: no command
  const said = (path: string, cwd: string): string =>
    spawnSync(process.execPath, [PROGRAM, ...words], { cwd, env: { PATH: path }, encoding: 'utf8' }).stderr;
  assert.match(
    said(`${from}:${bare}`, from),
    new RegExp(` or ${join(dirname(dirname(realpathSync(PROGRAM))), 'scripts/faultline')} run;`),
  );
  assert.match(said(`${bare}:${has}`, from), / or faultline run;/);
  assert.match(said(bare, dirname(dirname(PROGRAM))), new RegExp(` or ${STARTED} run;`));
});
