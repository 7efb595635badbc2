// ASCII where the locale shows no more: every sign of our own texts has its stand-in, and nothing else than ASCII is left.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { showsUnicode, toAscii } from '../../../src/commands/terminal/ascii.ts';
import { installationRoot } from '../../../src/native.ts';
import { faultline } from '../run-cli.ts';

test('the locale is the first of LC_ALL, LC_CTYPE and LANG that says something', () => {
  for (const [environment, expected] of [
    [{}, false],
    [{ LANG: 'C' }, false],
    [{ LANG: 'POSIX' }, false],
    [{ LANG: 'de_DE.UTF-8' }, true],
    [{ LANG: 'en_US.utf8' }, true],
    [{ LANG: 'de_DE.ISO-8859-1' }, false],
    [{ LANG: 'C.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, true],
    [{ LANG: 'C.UTF-8', LC_ALL: '' }, true],
  ] as const) {
    assert.equal(showsUnicode(environment), expected, JSON.stringify(environment));
  }
});

test('our signs become what stands for them', () => {
  assert.equal(toAscii('▼ node-3 gpu 0…7: 1,980 → 1,095 MHz'), 'v node-3 gpu 0-7: 1,980 -> 1,095 MHz');
  assert.equal(toAscii('61 °C ≥ 60 °C · ×2.2 ≈ 3 − 1'), '61 C >= 60 C | x2.2 ~ 3 - 1');
  assert.equal(toAscii('14:31:59 … 14:32:01, pdu-b-ra…'), '14:31:59 - 14:32:01, pdu-b-ra...');
  assert.equal(toAscii('Größe 電'), 'Grosse \\u{96fb}');
});

test('whatever the text, only ASCII is left, and ASCII stays as it is', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => /^\p{ASCII}*$/u.test(toAscii(text))));
  fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => toAscii(text) === text));
});

test('no sign in a text of ours is without a stand-in', () => {
  const folders = [
    'src/commands',
    'src/incidents',
    'src/correlation',
    'src/sources',
    'src/simulator/demo',
    'src/model',
  ];
  for (const folder of folders) {
    for (const name of readdirSync(join(installationRoot(), folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('ascii.ts')) continue;
      const code = readFileSync(join(installationRoot(), folder, name), 'utf8');
      const escapes = (text: string): number => text.split('\\u{').length;
      assert.equal(escapes(toAscii(code)), escapes(code), `${folder}/${name}`);
    }
  }
});

test('a command in the C locale says it in ASCII, in another as ever, and documents stay documents', async () => {
  const text = async (environment: Record<string, string>, ...words: string[]) =>
    (await faultline(['doctor', ...words], { env: environment })).stdout;
  assert.match(await text({ LC_ALL: 'C' }), /^\p{ASCII}+$/u);
  assert.match(await text({ LC_ALL: 'C' }), /^faultline doctor \| /);
  assert.match(await text({ LC_ALL: 'C.UTF-8' }), /^faultline doctor · /);
  assert.equal(JSON.parse(await text({ LC_ALL: 'C' }, '--json')).schema, 'faultline/doctor/1');
});
