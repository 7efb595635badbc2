// The daemon's own log where nothing takes it: a pipe that is not read, a reader that is gone, a full disk. Real ones.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { errorCode } from '../../../src/helpers/error-code.ts';
import { DaemonUnderTest, exitOf } from '../../e2e/daemon-under-test.ts';
import { until } from '../../until.ts';
import { folder } from '../run-cli.ts';

const MODULE = new URL('../../../src/commands/run/daemon-log.ts', import.meta.url).href;
const LINES = 3000;
const LIMIT_MS = 20_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A pipe that is full to the last byte, and what there is to read in it. */
class FullPipe {
  readonly #reader: number;
  readonly writer: number;
  readonly #filled: number;
  #text = '';
  #open = true;

  constructor() {
    const path = join(folder(), 'pipe');
    execFileSync('mkfifo', [path]);
    this.#reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    this.#filled = fill(filler);
    closeSync(filler);
    this.writer = openSync(path, constants.O_WRONLY);
    closing.push(() => {
      closeSync(this.writer);
      this.leave();
    });
  }

  /** All that was written behind what filled it, so far. */
  read(): string {
    const piece = Buffer.alloc(65_536);
    try {
      for (let count = readSync(this.#reader, piece); count > 0; count = readSync(this.#reader, piece))
        this.#text += piece.toString('latin1', 0, count);
    } catch (error) {
      assert.equal(errorCode(error), 'EAGAIN');
    }
    return this.#text.slice(this.#filled);
  }

  leave(): void {
    if (this.#open) closeSync(this.#reader);
    this.#open = false;
  }
}

function fill(writer: number): number {
  let filled = 0;
  for (let size = 4096; size >= 1; ) {
    try {
      filled += writeSync(writer, Buffer.alloc(size, '.'));
    } catch (error) {
      assert.equal(errorCode(error), 'EAGAIN');
      size = size === 4096 ? 1 : 0;
    }
  }
  return filled;
}

/** Its own process logs 3,000 lines, says on standard output how long that held it, and continues as `then` says. */
async function logs(stderr: number, then: string): Promise<{ child: ChildProcess; heldMs: number }> {
  const code = `
    const { daemonLog } = await import(${JSON.stringify(MODULE)});
    const { logger, settled } = daemonLog('info', 'node-3');
    const begun = performance.now();
    for (let line = 0; line < ${LINES}; line += 1) logger.info({ line }, 'a line of some length, as they are');
    console.log(performance.now() - begun);
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', stderr] });
  closing.push(() => child.kill('SIGKILL'));
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  closing.push(() => clearTimeout(late));
  const [said] = (await Promise.race([once(child.stdout ?? assert.fail(), 'data'), once(child, 'exit')])) as unknown[];
  return { child, heldMs: Number.parseFloat(String(said)) };
}

test('a pipe that is not read holds nothing; what did not fit is counted in one line once it is read', async () => {
  const pipe = new FullPipe();
  const { heldMs } = await logs(pipe.writer, 'setInterval(() => logger.info("later"), 50);');
  assert.ok(heldMs < LIMIT_MS / 4, `held for ${heldMs} ms`);
  const text = await until(
    () => (pipe.read().includes('FL1214') && pipe.read().includes('"later"') ? pipe.read() : null),
    {
      seen: () => pipe.read().slice(-300),
    },
  );
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { line?: number; dropped?: number; msg: string }); // each line is whole
  const kept = lines.flatMap(({ line }) => line ?? []);
  assert.deepEqual(kept, [...kept.keys()]);
  assert.ok(kept.length > 300 && kept.length < LINES, `${kept.length} lines were kept`);
  const reported = lines.filter(({ dropped }) => dropped !== undefined);
  // A second where it was read while lines still came, as next to other tests at work.
  assert.ok(reported.length === 1 || reported.length === 2, JSON.stringify(reported));
  const later = lines.slice(0, lines.indexOf(reported[0] ?? assert.fail())).filter(({ msg }) => msg === 'later');
  assert.deepEqual(later, []);
  const dropped = reported.reduce((sum, each) => sum + (each.dropped ?? 0), 0);
  assert.ok(dropped >= LINES - kept.length, JSON.stringify(reported));
});

for (const [how, status, then] of [
  ['ends', 7, 'process.exit(7);'],
  ['is given up after its last lines', 7, 'await settled(); process.exit(7);'],
  ['crashes', 1, 'setTimeout(() => { throw new Error("a crash"); });'],
] as const) {
  test(`a process that ${how} with its pipe full is gone within seconds`, async () => {
    const pipe = new FullPipe();
    const { child, heldMs } = await logs(pipe.writer, then);
    assert.ok(heldMs < LIMIT_MS / 4, `held for ${heldMs} ms`);
    const { code, signal } = await exitOf(child);
    assert.deepEqual([code, signal], [status, null]);
  });
}

test('the last lines before the end of a process are out where they are taken', async () => {
  const path = join(folder(), 'log');
  const file = openSync(path, 'w+');
  closing.push(() => closeSync(file));
  const { child } = await logs(file, 'logger.fatal("the last"); process.exit(7);');
  await exitOf(child);
  const text = Buffer.alloc(1 << 20);
  const lines = text
    .toString('latin1', 0, readSync(file, text, 0, text.length, 0))
    .trimEnd()
    .split('\n');
  assert.match(lines.at(-1) ?? '', /"the last"/);
  assert.ok(lines.length > 300, `${lines.length} lines`);
  for (const line of lines) JSON.parse(line);
});

test('a full disk and a reader that is gone hold nothing, then and at the end', async () => {
  const full = openSync('/dev/full', 'w');
  closing.push(() => closeSync(full));
  const gone = new FullPipe();
  gone.leave();
  for (const descriptor of [full, gone.writer]) {
    const { child, heldMs } = await logs(descriptor, 'setTimeout(() => process.exit(7), 300);');
    assert.ok(heldMs < LIMIT_MS / 4, `held for ${heldMs} ms`);
    const { code, signal } = await exitOf(child);
    assert.deepEqual([code, signal], [7, null]);
  }
});

test('the daemon writes incidents, answers and stops while its log is not read', async () => {
  const daemon = new DaemonUnderTest({ gpus: 2 });
  closing.push(() => daemon.close());
  const pipe = new FullPipe();
  const child = await daemon.start(pipe.writer);
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  await daemon.until('the incident is on disk', () => daemon.logged('incident').length > 0);
  child.kill('SIGTERM');
  const { code } = await exitOf(child);
  assert.equal(code, 0);
});
