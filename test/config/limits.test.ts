// Hostile configurations: whatever is fed in, the answer is a Config or a ConfigError, soon.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { ConfigError } from '../../src/config/config-error.ts';
import { readConfig } from '../../src/daemon/config.ts';
import { complaints, load } from './helpers.ts';

test('a message shows what a terminal would obey, and does not send it there', async () => {
  const lines = await complaints('host: "\u001b]0;x\u0007"\nsources: {"\u001b[2J": 1}');
  assert.equal(lines.length, 2);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/);
  assert.ok(lines[0]?.includes('\\x1b]0;x\\x07'), lines[0]);
});

test('an alias bomb is refused', async () => {
  const levels = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  const lines = await complaints(['a0: &a0 [x]', ...levels].join('\n'));
  assert.ok(
    lines.some((line) => line.endsWith('[FL1104]')),
    lines[0],
  );
});

test('brackets without end are refused', async () => {
  for (const text of ['['.repeat(100_000), '{a: '.repeat(10_000), `a: ${'- '.repeat(10_000)}`]) {
    const lines = await complaints(text);
    assert.notDeepEqual(lines, []);
    assert.equal(new Set(lines).size, lines.length, 'nothing is said twice');
  }
});

// The library looks for repeated keys pair by pair: a minute for this file. Ours finds the one repeat at once.
test('a map of 50,000 keys is read, and its repeated key found', async () => {
  const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`);
  const lines = await complaints([...keys, 'k7: 2'].join('\n'));
  assert.deepEqual(
    lines[0],
    'faultline.yaml:1:1: k0 is not known. Known here: host, directories, roots, sources, topology, correlation, incidents, impact, inject, silences, api, simulated, shadow, record, rules, detectors, otlp, prometheus, alertmanager, notify, nvsentinel, acting, log_level [FL1105]',
  );
  assert.ok(lines.includes('faultline.yaml:50001:1: k7 is there twice; the first is on line 8. Remove one [FL1103]'));
});

test('a file over 1 MiB, a folder and a FIFO are refused unread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-config-'));
  const large = join(folder, 'large.yaml');
  writeFileSync(large, `# ${'x'.repeat(1024 * 1024)}\n`);
  await assert.rejects(readConfig(large), /FL1102/);
  await assert.rejects(readConfig(folder), /FL1101/);
  const fifo = join(folder, 'fifo');
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  await assert.rejects(readConfig(fifo), /FL1101/);
  await assert.rejects(readConfig(join(folder, 'none.yaml')), /none\.yaml: the configuration does not exist.*FL1101/);
});

const word = fc.constantFrom(
  'host',
  'sources',
  'pdu',
  'gpu',
  'name',
  'topology',
  'feeds',
  'from',
  'to',
  'version',
  'user',
  '__proto__',
  'ranks',
  'job_log',
  'path',
  '1',
  '${X}',
  'psu/a/1',
  '2s',
  '<<',
);
const leaf = fc.oneof(word, fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.bigInt());
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('node'), { maxKeys: 5 }),
  ),
})).node;

async function configOrConfigError(text: string): Promise<void> {
  try {
    await load(text, { X: 'x' });
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.ok(error.problems.length > 0);
    for (const { line, column } of error.problems) {
      if (line === null || column === null) continue; // beyond the file there is no place
      assert.ok(line >= 1 && column >= 1 && line <= text.split(/\n|\r\n?/).length + 1, `${line}:${column}`);
    }
  }
}

test('random text ends in a Config or a ConfigError', async () => {
  await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), configOrConfigError), {
    numRuns: 500,
  });
});

test('random YAML punctuation ends in a Config or a ConfigError', async () => {
  const piece = fc.constantFrom(
    ':',
    '-',
    '{',
    '}',
    '[',
    ']',
    '&a',
    '*a',
    '!',
    '|',
    '>',
    '"',
    "'",
    '#',
    '?',
    '%',
    ' ',
    '\n',
    '  ',
    'host',
    'a',
    ',',
    '---',
    '\t',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }).map((p) => p.join('')),
      configOrConfigError,
    ),
    { numRuns: 1000 },
  );
});

test('random trees of known words end in a Config or a ConfigError', async () => {
  await fc.assert(
    fc.asyncProperty(tree, (value) => configOrConfigError(stringify(value))),
    { numRuns: 500 },
  );
});
