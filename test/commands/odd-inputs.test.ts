// Odd inputs: a binary file, a folder, a device or nothing at all where a file is needed gets one clear line, and no binary back.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultline, folder } from './run-cli.ts';

const place = folder();
const binary = join(place, 'binary');
writeFileSync(binary, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a, 0x9b, 0x41]));
const latin = join(place, 'latin1.yaml');
writeFileSync(latin, Buffer.from('host: M\xfcnchen\n', 'latin1'));

const commands: readonly (readonly [string, (path: string) => string[], number])[] = [
  ['config check', (path) => ['config', 'check', path], 2],
  ['run', (path) => ['run', '--config', path], 2],
  ['doctor', (path) => ['doctor', '--config', path], 2],
  ['demo', (path) => ['demo', '--scenario', path], 2],
  ['fr', (path) => ['fr', path], 1],
  ['replay', (path) => ['replay', path], 1],
  ['incidents', (path) => ['incidents', '--log-directory', path], 1],
  ['explain', (path) => ['explain', '1234', '--log-directory', path], 1],
];
const inputs = {
  'a binary file': binary,
  'text in another encoding': latin,
  'a device': '/dev/null',
  nothing: '/nonexistent/x.yaml',
};

for (const [name, words, expected] of commands) {
  for (const [what, path] of Object.entries(inputs)) {
    // Every command meets a binary; what else there is meets those that read text.
    if (path !== binary && name !== 'config check' && name !== 'demo') continue;
    test(`${name} with ${what} says so in a line`, async () => {
      const { status, stdout, stderr } = await faultline(words(path));
      assert.deepEqual([status, stdout], [expected, ''], stderr);
      const [line = '', ...more] = stderr.trimEnd().split('\n');
      assert.match(line, /FL\d{4}/);
      assert.ok(line.includes(path), line);
      // fr names the file once more under its line, with how it begins.
      assert.ok(more.length <= (name === 'fr' ? 1 : 0), stderr);
      assert.match(stderr, /^[\x20-\x7e\n]*$/);
    });
  }
}

for (const words of [
  ['config', 'check', place],
  ['demo', '--scenario', place],
  ['replay', place],
]) {
  test(`${words[0]} with a folder says that it is one`, async () => {
    const { status, stderr } = await faultline(words);
    assert.notEqual(status, 0);
    assert.match(stderr, /^.*is a folder.*\n$/);
  });
}

for (const command of ['rules', 'patterns'])
  test(`${command} test names the file as what it is, with nothing about a configuration`, async () => {
    for (const [path, why] of [
      ['/nonexistent/x.yaml', 'the file does not exist. Name one that is there'],
      [place, 'is a folder, not a file. Name the file itself'],
      ['/dev/null', 'is not a regular file, but a device, a pipe or a socket. Name the file itself'],
    ] as const) {
      const { status, stdout, stderr } = await faultline([command, 'test', path]);
      assert.deepEqual([status, stdout, stderr], [2, '', `${path}: ${why} [FL1101]\n`]);
    }
  });

test('the shipped scenarios are listed, each with what happens in it; an unknown name is answered with them', async () => {
  const { status, stdout } = await faultline(['demo', '--list']);
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}gpu-lost +\S.*\n[\s\S]* {2}power-sag +\S/);
  const { stderr } = await faultline(['demo', '--scenario', 'power-sagg']);
  assert.match(stderr, /Did you mean power-sag\? Shipped: gpu-lost, .*thermal/);
});

test('no option of the command line that holds a password in an address has it printed', async () => {
  for (const words of [
    ['probe', 'bmc', 'https://user:hunter2@10.0.0.1'],
    ['probe', 'bmc', 'user:hunter2@10.0.0.1'],
    ['probe', 'pdu', 'user:hunter2@10.0.0.1'],
    ['demo', '--export', 'https://user:hunter2@collector'],
    ['demo', '--scenario', 'https://user:hunter2@h/x.yaml'],
    ['config', 'check', 'https://user:hunter2@h/x.yaml'],
    ['fr', 'https://user:hunter2@h'],
    ['https://user:hunter2@h'],
    ['incidents', '--https://user:hunter2@h'],
  ]) {
    const { stdout, stderr } = await faultline(words);
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'), `${words.join(' ')}: ${stderr}`);
  }
});
