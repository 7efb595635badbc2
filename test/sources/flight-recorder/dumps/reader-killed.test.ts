// The real reader that ends in the middle of its work, with its rights dropped and most files read: what the source tells then.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { nativePath } from '../../../../src/native.ts';
import { readDumps } from '../../../../src/sources/flight-recorder/dumps/reader-child.ts';
import { FlightRecorderSource } from '../../../../src/sources/flight-recorder/flight-recorder-source.ts';
import type { SourceHealth } from '../../../../src/sources/source.ts';
import { knowing } from '../../../identity/knowing.ts';
import { until } from '../../../until.ts';
import { builtShim, markedJob, shimmedReader } from './shim.ts';

const SIZE = 256;
const root = mkdtempSync(join(tmpdir(), 'fl-killed-'));
after(() => rmSync(root, { recursive: true }));
const job = () => markedJob(root, SIZE);
const reader = shimmedReader;

interface Seen {
  readonly named: string[];
  readonly dumps: unknown;
  readonly health: SourceHealth | undefined;
}

async function watch(folder: string, program: string, meanwhile: () => void = () => {}): Promise<Seen> {
  const reported: { id: string; dumps: unknown }[] = [];
  const config = { enabled: 'on', intervalMs: 5, processes: false, folders: [{ path: folder, pattern: '*', job: 'llama' }], trigger: false } as const; // biome-ignore format: one line
  const source = new FlightRecorderSource(config, { host: 'node-3', now: Date.now, program, identity: knowing([{ job: 'llama', ranks: [...Array(SIZE).keys()] }]), standard: [], graceMs: 0, backOffMs: 1 }); // biome-ignore format: one line
  const emit = {
    samples() {},
    text() {},
    discovery() {},
    event: ({
      kind,
      component,
      attributes,
    }: {
      kind: string;
      component?: { id: string } | null;
      attributes?: { readonly dumps?: unknown };
    }) => {
      if (kind === 'job.collective_desync') reported.push({ id: component?.id ?? '', dumps: attributes?.dumps });
    },
  };
  source.start(emit, new AbortController().signal);
  await until(
    () => {
      meanwhile();
      return reported.length > 0;
    },
    { what: 'a desync', seen: () => source.health() },
  );
  await source.stop();
  return { named: reported.map(({ id }) => id), dumps: reported[0]?.dumps, health: source.health()[0] };
}

/** Ids of the children of a process that are in state `state`, or in any. */
function children(parent: number, state?: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [is, ppid] = readFileSync(`/proc/${name}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(ppid) === parent && (state === undefined || is === state) ? [Number(name)] : [];
      } catch {
        return []; // it ended meanwhile
      }
    });
}

/** The reader of `parent` once it has stopped in the middle: who feeds and who parses. Waits for it. */
async function stopped(parent: number): Promise<readonly [feeder: number, parser: number]> {
  return await until(
    () => {
      for (const feeder of children(parent, 'T')) {
        const [parser] = children(feeder);
        if (parser !== undefined) return [feeder, parser] as const;
      }
      return null;
    },
    { what: `a reader of ${parent} that has stopped` },
  );
}

/** Waits until none of these runs any more; one that was not reaped yet does not run. */
async function gone(pids: readonly number[]): Promise<void> {
  const runs = (pid: number): boolean => {
    try {
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return false;
    }
  };
  await until(() => !pids.some(runs), { what: `the end of ${pids.join(', ')}` });
}

const WAITS = { timeout: 120_000 };
const library = builtShim(root);
describe('the real reader ends in the middle', {
  skip: library === null ? 'needs a C compiler: apt-get install gcc' : false,
}, () => {
  test('by SIGSEGV at one file, each time: the finding is reported, the others are read, health names the file', async () => {
    const { folder, culprits, marked } = job();
    const { named, dumps, health } = await watch(folder, reader(library ?? '', 'parses', false));
    assert.deepEqual([named, dumps], [culprits.map((rank) => `llama/${rank}`), SIZE - 1]);
    assert.match(health?.detail ?? '', new RegExp(`rank_${marked}\\b.*others were read`));
  });

  test('by SIGKILL from outside, once: it is started again, and all are read', async () => {
    const { folder, culprits } = job();
    let killed = 0;
    const { named, dumps, health } = await watch(folder, reader(library ?? '', 'feeds', true), () => {
      // The one that feeds has stopped in the middle; the one that parses waits for more.
      for (const feeder of children(process.pid, 'T')) {
        for (const parser of children(feeder)) {
          process.kill(parser, 'SIGKILL');
          killed += 1;
        }
        process.kill(feeder, 'SIGCONT');
      }
    });
    assert.ok(killed > 0);
    assert.deepEqual([named, dumps, health?.status], [culprits.map((rank) => `llama/${rank}`), SIZE, 'works']);
  });

  /** A process that reads a marked job with the reader `program`, and would wait for it. */
  function daemonReading(program: string): ChildProcess {
    const { folder } = job();
    const paths = readdirSync(folder).map((name) => join(folder, name));
    const child = new URL('../../../../src/sources/flight-recorder/dumps/reader-child.ts', import.meta.url);
    const text = `import { readDumps } from ${JSON.stringify(child.href)};
      await readDumps(${JSON.stringify(paths)}, new AbortController().signal, { program: ${JSON.stringify(program)} });`;
    return spawn(process.execPath, ['--input-type=module-typescript', '-e', text], { stdio: 'ignore' });
  }

  test('by the death of the daemon: nothing of it is left', WAITS, async () => {
    const daemon = daemonReading(reader(library ?? '', 'feeds', false));
    const reading = await stopped(daemon.pid ?? 0);
    daemon.kill('SIGKILL');
    await gone(reading);
  });

  // The parser has become another user by then, and the system forgets at that whose death it wants to hear of.
  test('by the death of the daemon while a file holds the parser: it does not work on alone', WAITS, async () => {
    const daemon = daemonReading(reader(library ?? '', 'loops', false));
    const ticks = (pid: number): number => Number(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ')[11]); // biome-ignore format: one line
    const reading = await until(
      () => {
        for (const feeder of children(daemon.pid ?? 0)) {
          const parser = children(feeder).find((pid) => ticks(pid) > 20);
          if (parser !== undefined) return [feeder, parser];
        }
        return null;
      },
      { what: 'a parser at work' },
    );
    daemon.kill('SIGKILL');
    await gone(reading);
  });

  test(
    'by a stop or its deadline while it hangs: nothing of it is left, and the next reading has all',
    WAITS,
    async () => {
      const { folder, culprits } = job();
      const paths = readdirSync(folder).map((name) => join(folder, name));
      const program = reader(library ?? '', 'feeds', false);
      const abort = new AbortController();
      const ending = assert.rejects(readDumps(paths, abort.signal, { program }), /stopped/);
      const reading = await stopped(process.pid);
      abort.abort();
      await ending;
      await gone(reading);
      await assert.rejects(readDumps(paths, new AbortController().signal, { program, deadlineMs: 200 }), /took longer/);
      const real = nativePath('faultline-fr');
      const { document } = await readDumps(paths, new AbortController().signal, { program: real });
      assert.deepEqual(document.culprits.map(({ rank }) => rank), culprits); // biome-ignore format: one line
      // Whatever was started is reaped by the one that started it.
      await until(() => children(process.pid).length === 0, { seen: () => children(process.pid) });
    },
  );
});
