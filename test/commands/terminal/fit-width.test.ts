// Fit: lines as wide as the terminal, broken where words end, under the column that they begin in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fit } from '../../../src/commands/terminal/fit-width.ts';
import { terminalWidth, textWidth } from '../../../src/commands/terminal/output.ts';
import { faultline } from '../run-cli.ts';

test('the second column continues under itself, a sentence a little deeper', () => {
  assert.equal(
    fit('  run [--config F]    watch this host: what systemd starts', 40),
    '  run [--config F]    watch this host:\n                      what systemd\n                      starts',
  );
  assert.equal(fit('one two three four', 10), 'one two\n  three\n  four');
  assert.equal(fit('short\nalso short', 40), 'short\nalso short');
});

test('a word that its column would break gets the room that it needs', () => {
  assert.equal(
    fit('  key  not here  add /etc/faultline/pdu-community', 34),
    '  key  not here\n      add\n      /etc/faultline/pdu-community',
  );
});

test('every line fits and every word stays whole, as long as it is not wider than the line', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 18 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 60 }), fc.constantFrom(' ', '  ', '    '), (list, width, gap) => {
      const text = `  ${list.join(gap)}`;
      const fitted = fit(text, width);
      for (const line of fitted.split('\n')) assert.ok(line.length <= width, JSON.stringify(line));
      assert.deepEqual(fitted.split(/\s+/).filter(Boolean), list);
    }),
  );
});

test('the width is that of $COLUMNS, of the terminal, or none', () => {
  assert.equal(terminalWidth({ isTTY: true, columns: 132 }, {}), 132);
  assert.equal(terminalWidth({ isTTY: true, columns: 132 }, { COLUMNS: '60' }), 60);
  assert.equal(terminalWidth({ columns: 132 }, {}), null);
  assert.equal(terminalWidth({ isTTY: true, columns: 0 }, {}), 80, 'a terminal that does not know its size');
  for (const COLUMNS of ['', '0', '-5', '7', 'wide', '99999', '1e3'])
    assert.equal(terminalWidth({}, { COLUMNS }), null, COLUMNS);
  assert.equal(textWidth({}, {}), 80);
});

for (const words of [
  ['--help'],
  ['doctor'],
  ['doctor', '--help'],
  ['incidents', '--help'],
  ['demo', '--help'],
  ['fr', '--help'],
  ['nonsense'],
  ['incidents', '--log-directory', '/nonexistent/a/long/path/that/is/named'],
]) {
  test(`${words.join(' ')} at 60 columns has no longer line`, async () => {
    const { stdout, stderr } = await faultline(words, { env: { COLUMNS: '60' } });
    for (const line of `${stdout}${stderr}`.split('\n')) assert.ok(line.length <= 60, line);
    assert.ok(stdout.length + stderr.length > 40);
  });
}

test('doctor and help in a pipe have 80 columns', async () => {
  for (const words of [['--help'], ['doctor']]) {
    for (const line of (await faultline(words)).stdout.split('\n')) assert.ok(line.length <= 80, line);
  }
});
