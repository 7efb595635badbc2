// fr on a job that lives: --follow tells new dumps as they come, --trigger asks ranks through their pipe and no other file.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeCase } from '../../native-fr/generator/cases.ts';
import { PROGRAM } from '../../program.ts';
import { faultline, folder } from '../run-cli.ts';

const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

function write(path: string, kind: 'cascade' | 'healthy'): readonly number[] {
  const made = makeCase(kind, 1);
  // All at once: a writer that is held up between two files for seconds is two waves, and is reported as two.
  for (const { name, bytes } of made.files) writeFileSync(join(path, `${name}.part`), bytes);
  for (const { name } of made.files) renameSync(join(path, `${name}.part`), join(path, name));
  return made.culprits;
}

/** A process with the environment of a rank that waits at its pipe and writes a dump for each byte, as PyTorch's monitor does. */
async function fakeRank(rank: number, dumps: string, pipes: string): Promise<void> {
  const pipe = join(pipes, `fr_${rank}.pipe`);
  if (!existsSync(pipe)) execFileSync('mkfifo', [pipe]);
  const dump = makeCase('cascade', 1).files[rank];
  const text = `
    const fs = require('node:fs');
    const fd = fs.openSync(${JSON.stringify(pipe)}, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    console.log('ready');
    setInterval(() => {
      let got = 0;
      try { got = fs.readSync(fd, Buffer.alloc(16)); } catch {}
      if (got > 0) fs.writeFileSync(${JSON.stringify(join(dumps, `nccl_trace_rank_${rank}`))}, Buffer.from('${dump?.bytes.toString('base64')}', 'base64'));
    }, 20);`;
  const env = {
    PATH: process.env.PATH,
    RANK: `${rank}`,
    WORLD_SIZE: '16',
    TORCH_FR_DUMP_TEMP_FILE: join(dumps, 'nccl_trace_rank_'),
    TORCH_NCCL_DEBUG_INFO_PIPE_FILE: join(pipes, 'fr_'),
  };
  const child = spawn(process.execPath, ['-e', text], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
}

test('--follow tells what is there, then what comes, and ends with 0 when interrupted', async () => {
  const path = folder();
  write(path, 'healthy');
  const child = spawn(process.execPath, [PROGRAM, 'fr', path, '--follow', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const reports: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  let culprits: readonly number[] = [];
  const lines = (async () => {
    let rest = '';
    for await (const part of child.stdout.setEncoding('utf8')) {
      rest += part;
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        reports.push(rest.slice(0, end));
        rest = rest.slice(end + 1);
        if (reports.length === 1) culprits = write(path, 'cascade');
        if (reports.length === 2) child.kill('SIGINT');
      }
    }
  })();
  const [status] = await once(child, 'exit');
  await lines;
  assert.deepEqual([status, stderr, reports.length], [0, '', 2]);
  const [first, second] = reports.map((line) => JSON.parse(line));
  assert.deepEqual([first.verdicts[0].type, first.culprits], ['none', []]);
  assert.deepEqual(
    second.culprits.map(({ rank }: { rank: number }) => rank),
    culprits,
  );
});

test('--trigger asks the ranks that dump into the folder, and analyses what they write', async () => {
  const [dumps, pipes] = [folder(), folder()];
  const ranks = [0, 1, 2, 3];
  for (const rank of ranks) await fakeRank(rank, dumps, pipes);
  const { status, stdout, stderr } = await faultline(['fr', dumps, '--trigger', '--json']);
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(
    JSON.parse(stdout).job.dumps.map(({ rank }: { rank: number }) => rank),
    ranks,
  );
});

test('--trigger on a folder that no rank writes to says so, and what is there is analysed', async () => {
  const path = folder();
  write(path, 'healthy');
  const { status, stderr } = await faultline(['fr', path, '--trigger']);
  assert.equal(status, 0);
  assert.match(stderr, /^FL2414 no rank on this host dumps into these folders/m);
});

test('--follow waits where nothing is yet, and tells the same verdict once though its files were touched', async () => {
  const path = folder();
  const child = spawn(process.execPath, [PROGRAM, 'fr', path, '--follow'], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
    if (stderr.includes('waiting') && stdout === '') write(path, 'healthy');
  });
  let reports = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
    reports += 1;
    if (reports > 1) child.kill('SIGINT');
    else {
      write(path, 'healthy');
      // Long after the same verdict would have been reported again.
      setTimeout(() => write(path, 'cascade'), 6000);
    }
  });
  const [status] = await once(child, 'exit');
  assert.equal(status, 0);
  assert.match(stderr, /^FL2401 .*\nwaiting for dumps; Ctrl-C ends it\n$/);
  assert.equal(stdout.match(/^Flight recorder: /gm)?.length, 2);
  assert.match(stdout, /^NOT JOINED/m);
  assert.match(stdout, /\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\nFlight recorder: /);
});
