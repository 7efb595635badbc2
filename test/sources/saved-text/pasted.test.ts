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

/** What a user chooses to print before a line of the kernel, so that it fills the width as a broken line does. */
test('no line of a user hides the line of the kernel that follows it', async () => {
  const kernel = [
    'NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.',
    'mlx5_core 0000:86:00.0: device_lost:12:(pid 0): reset',
    'EXT4-fs (sda1): Remounting filesystem read-only',
    'Out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:7kB',
    'mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400',
  ];
  const rests = ['alpha one', 'bravo two', 'charly three', 'delta four', 'echo five', 'foxtrot six'];
  for (const width of [72, 100, 160])
    for (const line of kernel)
      for (const end of ['x', ' ', '=']) {
        const filled = (text: string) => (text + 'x'.repeat(width)).slice(0, width - 1) + end;
        const broken = rests.flatMap((rest) => [filled(`line of a program ${rest} `), rest]);
        const lines = (await written([...broken, filled('one more line '), line, 'a normal line'].join('\n'))).split(
          '\n',
        );
        assert.equal(lines[13], line, `${width} "${end}"`);
      }
});

test('a prompt before a line of the console, and marks of code around a line, are taken back', async () => {
  const line =
    'Jul  8 17:43:18 gx-7 kernel: [15120.184138] INFO: task txg_sync:12241 blocked for more than 120 seconds.';
  for (const prompt of ['root@gx-7:~# ', '[root@gx-7 pg]# '])
    assert.equal(await written(`${prompt}${line}\n${line}\n`), `${line}\n${line}\n`);
  assert.equal(await written(`\`${line}\`\n`), `${line}\n`);
  const command = 'root@gx-7:~# dmesg | tail\n';
  assert.equal(await written(command), command);
});

test('blanks that fill a terminal behind its width are no part of a line', async () => {
  const lines = [
    '[1530887.205518] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=python3,pid=18842,uid=0',
    '[1530887.205630] Out of memory: Killed process 18842 (python3) total-vm:61120488kB, anon-rss:30127912kB, file-rss:70112kB, shmem-rss:14336kB, UID:0',
  ];
  const shown = lines.flatMap((line) => [`${line.slice(0, 80)}${' '.repeat(60)}`, line.slice(80)]);
  assert.deepEqual(
    (await written(shown.join('\n'))).split('\n').filter((line) => line !== ''),
    lines,
  );
  const ragged = `${'a'.repeat(70)}          \n${'b'.repeat(80)}          \n`;
  assert.equal(await written(ragged), ragged);
});
