// What each command says to a user in no group: who may, and the line that gets them there; never a stack or a bare code.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Asker, whoMay } from '../../../src/helpers/files/who-may.ts';
import { installationRoot } from '../../../src/native.ts';
import { asAnybody } from '../../as-anybody.ts';

const VISITOR = 65_534;
const GROUP = 4_242;
const root = process.geteuid?.() === 0 ? false : 'gives a folder to another user: needs root';

/** A folder that only its owner and one group may enter, with a file in it, and an /etc that names them. */
function shutFolder(t: TestContext, mode = 0o750): { folder: string; etc: string } {
  const path = mkdtempSync(join(tmpdir(), 'fl-who-may-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const folder = join(path, 'shut');
  const etc = join(path, 'etc');
  mkdirSync(folder);
  mkdirSync(etc);
  writeFileSync(join(folder, 'file'), '');
  writeFileSync(join(etc, 'passwd'), 'root:x:0:0::/root:/bin/sh\nfaultline:x:4242:4242::/:/bin/false\n');
  writeFileSync(join(etc, 'group'), `root:x:0:\nfaultline:x:${GROUP}:carol\n`);
  chownSync(folder, GROUP, GROUP);
  chmodSync(folder, mode);
  chmodSync(path, 0o755);
  return { folder, etc };
}

const asker = (etc: string, words: string[], name = 'alice', groups = [100]): Asker => ({
  uid: VISITOR,
  name,
  groups,
  words,
  etc,
});

test('names owner and group of what is shut, and both lines', { skip: root }, async (t) => {
  const { folder, etc } = shutFolder(t);
  await asAnybody(async () => {
    assert.equal(
      whoMay(join(folder, 'file'), asker(etc, ['incidents', '--follow'])),
      'Only faultline and the group faultline may. Use sudo: sudo faultline incidents --follow; ' +
        'or join the group, then log in again: sudo usermod -aG faultline alice',
    );
    assert.match(whoMay(join(folder, 'file'), asker(etc, ['ack', '7f3c'], 'carol')), /log in again, or run newgrp fau/);
    assert.doesNotMatch(whoMay(join(folder, 'file'), asker(etc, ['ack'], 'alice', [GROUP])), /usermod/);
    assert.match(
      whoMay(join(folder, 'file'), asker(join(etc, 'absent'), ['doctor'])),
      /^Only uid 4242 and the group of /,
    );
  });
});

test('where the group may not either, or is root, only sudo helps', { skip: root }, async (t) => {
  const { folder, etc } = shutFolder(t, 0o700);
  const path = join(folder, 'file');
  await asAnybody(async () => {
    assert.equal(whoMay(path, asker(etc, ['doctor'])), 'Only faultline may. Use sudo: sudo faultline doctor');
  });
  chownSync(folder, 0, 0);
  chmodSync(folder, 0o750);
  await asAnybody(async () => {
    assert.equal(whoMay(path, asker(etc, ['doctor'])), 'Only root may. Use sudo: sudo faultline doctor');
  });
});

test('the line is one that a shell takes, starts no daemon as root, and repeats nothing that may be secret', () => {
  const line = (...words: string[]) => whoMay('/', asker('/absent', words)).split('Use sudo: ')[1];
  assert.equal(line('ack', '7f3c', '--note', "it's $(id)"), `sudo faultline ack 7f3c --note 'it'\\''s $(id)'`);
  assert.equal(line('run', '--config', 'x'), 'sudo systemctl start faultline');
  assert.equal(line('probe', 'bmc', 'https://u:p@bmc'), 'sudo faultline probe');
  const checkout = { ...asker('/absent', ['scan', 'dmesg']), program: '/opt/node dist/faultline.js' };
  assert.match(whoMay('/', checkout), /Use sudo: sudo \/opt\/node dist\/faultline\.js scan dmesg$/);
  assert.equal(line('probe', 'pdu', '--community', 'hidden'), 'sudo faultline probe');
});

test('a path that is there is repeated, whatever it is called; what only looks like one is not', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'fl-secret-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const line = (...words: string[]) => whoMay('/', asker('/absent', words)).split('Use sudo: ')[1];
  assert.equal(line('scan', path), `sudo faultline scan ${path}`);
  assert.equal(line('scan', `${path}-token`), 'sudo faultline scan');
});

test('every command that meets a shut configuration, log or socket says so', { skip: root }, async (t) => {
  const { folder } = shutFolder(t);
  const open = join(folder, '..', 'open.yaml');
  const directories = ['log', 'state', 'runtime'].map((name) => `  ${name}: ${folder}`);
  writeFileSync(open, `directories:\n${directories.join('\n')}\n`, { mode: 0o644 });
  writeFileSync(join(folder, 'shut.yaml'), '');
  writeFileSync(join(folder, 'incidents.jsonl'), '');
  const server = createServer().listen(join(folder, 'faultline.sock'));
  t.after(() => server.close());
  const run = (config: string, words: string[]) =>
    spawnSync(process.execPath, [join(installationRoot(), 'src/main.ts'), ...words, '--config', config], {
      uid: VISITOR,
      gid: VISITOR,
      encoding: 'utf8',
      cwd: '/',
      env: { HOME: '/nonexistent' },
      timeout: 30_000,
    });
  const cases: [string, string[]][] = [
    [join(folder, 'shut.yaml'), ['config', 'check']],
    [join(folder, 'shut.yaml'), ['doctor']],
    [open, ['incidents']],
    [open, ['ack', '7f3c41']],
  ];
  for (const [config, words] of cases) {
    const { status, stdout, stderr } = run(config, words);
    const said = `faultline ${words.join(' ')}: status ${status}\n${stdout}${stderr}`;
    assert.ok(status === 1 || status === 2, said);
    assert.match(stderr, /Only uid 4242 and the group of id 4242 may\. Use sudo: sudo \S+(?: \S+main\.ts)? /, said);
    assert.match(stderr, /FL\d{4}/, said);
    assert.doesNotMatch(stderr, /\n {4}at |ENOENT|FL1000/, said);
  }
});
