// Man pages and completions, which are generated from the commands: every command has them, and bash completes by them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../src/commands/registry.ts';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const pages = mkdtempSync(join(tmpdir(), 'fl-pages-'));
process.on('exit', () => rmSync(pages, { recursive: true, force: true }));
const made = spawnSync(process.execPath, [join(root, 'scripts/lib/pages/write-pages.mjs'), pages], {
  encoding: 'utf8',
  cwd: root,
  env: { ...process.env, VERSION: '1.2.3', SOURCE_DATE_EPOCH: '1700000000' },
});
const built = COMMANDS.filter((each) => each.built).map(({ name }) => name);
const man = (name: string) => readFileSync(join(pages, 'man', name), 'utf8');

test('every command that is built has a man page, and no other', () => {
  assert.equal(made.stderr, '');
  const names = readdirSync(join(pages, 'man/man1')).sort();
  assert.deepEqual(names, ['faultline.1', ...built.map((name) => `faultline-${name}.1`)].sort());
  assert.match(man('man1/faultline-explain.1'), /^\.TH "FAULTLINE\\-EXPLAIN" 1 "2023\\-11\\-14" "faultline 1\.2\.3"/m);
  for (const name of built) assert.ok(man('man1/faultline.1').includes(name.replaceAll('-', '\\-')), name);
});

test('a page names the options of each subcommand, and the one of the configuration its keys', () => {
  const page = man('man1/faultline-config.1');
  for (const words of ['config check', 'config print', '\\-\\-detectors']) assert.ok(page.includes(words), words);
  assert.match(man('man5/faultline.yaml.5'), /^\.B "directories\.state"$/m);
});

test('no line of text is taken for a request', () => {
  const requests = /^\.(?:\\"|TH|SH|SS|TP|PP|B|BR|br|nf|fi|nh|ad)\b/;
  for (const file of readdirSync(join(pages, 'man/man1'))) {
    const odd = man(`man1/${file}`)
      .split('\n')
      .filter((line) => line.startsWith('.') && !requests.test(line) && !line.startsWith('.\\"'));
    assert.deepEqual(odd, [], file);
  }
});

/** What bash offers behind these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _faultline 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const file = join(pages, 'completions/bash/faultline');
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', file, ...words], { encoding: 'utf8' });
  return stdout.trim().split('\n').sort();
}

test('bash completes commands, subcommands, options, and words and files as their values', () => {
  assert.deepEqual(offered('faultline', 'inc'), ['incidents']);
  assert.deepEqual(offered('faultline', 'config', 'p'), ['print']);
  assert.deepEqual(offered('faultline', 'incidents', '--seve'), ['--severity']);
  assert.deepEqual(offered('faultline', 'incidents', '--severity', 'cri'), ['critical']);
  assert.deepEqual(offered('faultline', 'run', '--config', join(root, 'package-l')), [join(root, 'package-lock.json')]);
  assert.deepEqual(offered('faultline', 'config', 'print', '--det'), ['--detectors']);
});

for (const [shell, file] of [
  ['zsh', 'zsh/_faultline'],
  ['fish', 'fish/faultline.fish'],
] as const) {
  const skip = spawnSync(shell, ['--version']).error ? `needs ${shell}: apt-get install ${shell}` : false;
  test(`${shell} reads its completions`, { skip }, () => {
    const { status, stderr } = spawnSync(shell, ['-n', join(pages, 'completions', file)], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
}
