// Mail: quoted-printable, pages of archives and broken lines read as the programs wrote them; logs and tables stay as they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flowed, fromPage, fromQuotedPrintable, refilled } from '../../../src/sources/saved-text/mail.ts';

const LINES = [
  '[   81.314709] mce: [Hardware Error]: CPU 0: Machine Check Exception: 4 Bank 0: b2000000c0060001',
  '[   81.314711] mce: [Hardware Error]: TSC 3b8cb60a66 PPIN 11d98332458e4ea9 and so on to the end',
  '[   81.314717] Kernel panic - not syncing: Fatal machine check',
];

/** As a mail program with so many columns sends it. */
function broken(lines: readonly string[], width: number, end: string): string[] {
  return lines.flatMap((line) => {
    const rows: string[] = [];
    let row = '';
    for (const word of line.split(/(?<= )/)) {
      if ((row + word).trimEnd().length > width) {
        rows.push(end === ' ' ? row : row.trimEnd());
        row = '';
      }
      row += word;
    }
    return [...rows, row];
  });
}

const whole = (lines: readonly string[]): string[] => lines.filter((line) => line !== '').map((line) => line.trimEnd());

test('quoted-printable: soft breaks and codes are taken back, and lines keep their numbers', () => {
  const sent = LINES.flatMap((line) => {
    const coded = line.replaceAll('=', '=3D');
    return coded.length <= 75 ? [coded] : [`${coded.slice(0, 75)}=`, coded.slice(75)];
  });
  const read = fromQuotedPrintable(['=20', ...sent]);
  assert.deepEqual(whole(read), ['', ...LINES]);
  assert.equal(read[1], LINES[0]);
  assert.equal(read[2], '');
  assert.equal(read.length, sent.length + 1);
});

test('assignments and rules that end in = are not quoted-printable', () => {
  for (const lines of [
    ['export A=', 'export B=', 'status=00000001/00000000'],
    ['='.repeat(76), '| a |', '='.repeat(76)],
    ['='.repeat(90), `${'x'.repeat(70)}=`, 'y'],
  ])
    assert.equal(fromQuotedPrintable(lines).join('\n'), lines.join('\n'));
});

test('the page of an archive loses its tags, and a line that continues stays one', () => {
  const page = [
    '<span class="quotelev1">&gt; mpirun noticed that process rank 0 with PID 399 on node sun06 exited  ',
    '</span><br>',
    '<span class="quotelev1">&gt; on signal 7 (Bus error).',
    '</span><br>',
  ];
  const text = fromPage(page).map((line) => line.replace(/^> /, ''));
  assert.deepEqual(whole(flowed(text)).filter(Boolean), [
    'mpirun noticed that process rank 0 with PID 399 on node sun06 exited on signal 7 (Bus error).',
  ]);
});

test('a program that prints tags or entities is left alone', () => {
  const lines = ['{"html": "<br>"}', 'epoch 1 &gt; 0', 'vector<span> a;', 'loss 2.1'];
  assert.deepEqual(fromPage(lines), lines);
});

for (const width of [66, 72, 78]) {
  test(`lines of a log that a mail broke at ${width} are whole`, () => {
    assert.deepEqual(whole(flowed(broken(LINES, width, ' '))), LINES);
    assert.deepEqual(whole(refilled(broken(LINES, width, ''))), LINES);
  });
}

test('what was not broken stays: tables, columns, messages below a stamp, steps', () => {
  for (const lines of [
    ['NAME            STATUS     ROLES     AGE       VERSION ', 'node-1-of-the-first-rack   NotReady   <none>    7m   v1.30.0'],
    ['torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ', '='.repeat(60), 'train.py FAILED'],
    [LINES[2] ?? '', 'Rebooting in 10 seconds', LINES[2] ?? ''],
    ['[   12.345678] a short line of the kernel with some more words in it', 'and its own second line', '[   13.345678] b'],
    Array.from({ length: 6 }, (_, i) => `step ${i} loss 2.31 lr 0.0001 grad 1.2 tokens 4096 in 0.31 s of them `),
    Array.from({ length: 6 }, (_, i) => `${i % 2 === 0 ? 'train' : 'valid'} loss 2.31 lr 0.0001 grad 1.2 tokens 4096 in 0.31 s `),
    [`${'x'.repeat(120)} `, 'y'],
  ]) {
    assert.deepEqual(flowed(lines), lines);
    assert.deepEqual(refilled(lines), lines);
  }
}); // biome-ignore format: one text a line
