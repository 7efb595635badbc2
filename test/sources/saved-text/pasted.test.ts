// Texts that were copied out of mails, pages and terminals read as the programs wrote them, and logs stay as they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asWritten } from '../../../src/sources/saved-text/pasted.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function written(text: string, size = 7): Promise<string> {
  const parts: Buffer[] = [];
  for await (const piece of await asWritten(pieces(text, size))) parts.push(piece);
  return Buffer.concat(parts).toString();
}

const LONG =
  "[rank6]:[E429 13:55:49.384372190 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 6] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. Étude of a reader.";

/** As a terminal shows it: `padded` to its width where the selection was a rectangle. */
function wrapped(text: string, width: number, padded: boolean): string[] {
  const rows = text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return padded ? rows.map((row) => row.padEnd(width)) : rows;
}

test('lines that a terminal broke are whole again, with their numbers', async () => {
  for (const width of [60, 64, 80])
    for (const padded of [false, true]) {
      const rows = wrapped(LONG, width, padded);
      const lines = (await written([...rows, '[rank6]:[E429 13:55:50.1 a.cpp:1] next'].join('\n'))).split('\n');
      assert.equal(lines[0]?.trimEnd(), LONG, `${width} ${padded}`);
      assert.equal(lines[rows.length], '[rank6]:[E429 13:55:50.1 a.cpp:1] next');
    }
});

test('quotation marks of a mail and the indent of a page are taken off', async () => {
  const log = 'RuntimeError: a\n\n  File "b.py"\nand so on';
  for (const mark of ['> ', '>> ', '    ', '\t']) {
    const quoted = log.replace(/^(?=.)/gm, mark);
    assert.equal(await written(quoted), log, JSON.stringify(mark));
  }
});

test('a text that was not copied stays as it is', async () => {
  const table = ['+-----+'.padEnd(91, '-'), '| GPU'.padEnd(90, ' a').concat('|'), '| 0'.padEnd(90, ' b').concat('|')];
  const steps = Array.from(
    { length: 9 },
    (_, i) => `step ${i} loss 2.31 lr 0.0001 ${'and more of the same '.repeat(3)}of it all`,
  );
  for (const log of [
    table.join('\n'),
    steps.join('\n'),
    '> building the train set\nfirst\nsecond\n> done\nthird',
    '>>> import torch\n>>> torch.cuda.is_available()\n>>> False\n>>> exit',
    '  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 1)',
    '    one line alone',
    `${'x'.repeat(70_000)}\n> a`,
    '',
  ])
    assert.equal(await written(log), log);
});
