// Every row of catalog/job: its example says the same in a live log and in a saved one, behind what launchers and runtimes print before it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputDecoder } from '../../../src/commands/scan/input-decoder.ts';
import { entriesOf } from '../../../src/detection/text/job/framework.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { ContainerForm } from '../../../src/sources/job-log/container-form.ts';
import { SavedText } from '../../../src/sources/saved-text/saved-text.ts';
import { jobRecord, START_MS } from './lines.ts';

const AT = '2026-11-27T12:00:00.123456789Z';
const places = { host: 'node-1', rankOf: (_job: string, { number }: { number: number }) => number };

const FORMS: Readonly<Record<string, (line: string) => string>> = {
  'by itself': (line) => line,
  'under srun --label': (line) => `3: ${line}`,
  'under torchrun': (line) => `[default3]:${line}`,
  'under Ray': (line) => `(WorkerDict pid=1751030, ip=192.0.2.91) ${line}`,
  'in the file of containerd or CRI-O': (line) => `${AT} stderr F ${line}`,
  'in the file of Docker': (line) => JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: AT }),
};

/** What nvidia-smi prints: in a saved log it is read as its report. */
const REPORTS: ReadonlySet<string> = new Set(['Failed to initialize NVML: Unknown Error']);

/** Kinds that the lines of a log that grows report. */
function live(lines: readonly string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  const container = new ContainerForm();
  return lines.flatMap((line, i) => {
    const text = container.take(line);
    if (text === null) return [];
    return decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults.map(({ kind }) => kind);
  });
}

/** The same of a log that was saved, which may belong to more than a job: only what the rows report. */
function saved(lines: readonly string[]): string[] {
  const kinds: string[] = [];
  const onEvent = (_host: string, { kind }: { kind: string }): void => void kinds.push(kind);
  const decoder = new InputDecoder({
    path: 'train.log',
    author: 'unknown',
    onEvent,
    onSteps: () => {},
    onReport: () => {},
  });
  const text = new SavedText({
    name: 'train.log',
    job: 'train',
    savedMs: START_MS,
    onRecord: (record, host) => decoder.take(record, host ?? 'train'),
    onTime: (timeMs, host) => decoder.passed(timeMs, host ?? 'train'),
  });
  text.push(Buffer.from(`${lines.join('\n')}\n`));
  text.end();
  decoder.end();
  return kinds;
}

for (const { framework, example, on, kind, exit, kept, not_finite: broken, ends, last_word: last } of entriesOf(
  'faults',
)) {
  if ((kind === undefined && exit !== true) || on === 'server' || kept !== undefined || broken !== undefined) continue;
  if (last === true) continue; // test/detection/text/job-last-words.test.ts
  test(`${framework}: "${example.slice(0, 70)}" is one fault wherever it is printed`, () => {
    const hooked = on === 'uncaught' && !example.startsWith('[rank');
    const lines = [...(on === 'uncaught' ? ['[rank3]: Traceback (most recent call last):'] : []), `${hooked ? '[rank3]: ' : ''}${example}`]; // biome-ignore format: one line
    const reported = live(lines);
    assert.ok(reported.length > 0, example);
    if (kind !== undefined) assert.equal(reported[0], kind);
    if (ends !== true) assert.equal(reported.length, 1);
    for (const [form, write] of Object.entries(FORMS)) {
      const written = lines.map(write);
      assert.deepEqual(live(written), reported, `${form}, as it grows`);
      if (!REPORTS.has(example)) assert.deepEqual(saved(written), reported, `${form}, saved`);
    }
  });
}
