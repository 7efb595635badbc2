// The job log source on real files: history, growth, rotation, truncation, late files, wildcards, refusal, stop.

import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Discovery, TextRecord } from '../../../src/model/record.ts';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import type { JobLogSettings, ServiceLogSettings } from '../../../src/sources/job-log/settings.ts';
import { until } from '../../until.ts';

const config = (path: string, ranks: readonly number[] = []): JobLogSettings => ({
  job: 'llama',
  path,
  framework: 'auto',
  ranks,
  worldSize: 16,
});

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'job-log-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

class Followed {
  readonly records: TextRecord[] = [];
  readonly discoveries: Discovery[] = [];
  /** What was said to be read to its end. */
  readonly read: string[] = [];
  readonly source: JobLogSource;
  readonly #awaited = new Map<string, (record: TextRecord) => void>();

  constructor(t: TestContext, ...configs: readonly (JobLogSettings | ServiceLogSettings)[]) {
    this.source = new JobLogSource(configs, { host: 'node-1', now: () => Date.now(), pollMs: 5 });
    this.source.start(
      {
        text: (record) => {
          this.records.push(record);
          this.#awaited.get(record.text)?.(record);
        },
        discovery: (discovery) => this.discoveries.push(discovery),
        samples: ({ keys }) => this.read.push(...keys),
        event: () => undefined,
      },
      new AbortController().signal,
    );
    t.after(() => this.source.stop());
  }

  /** Waits until this line has come; the test runner's own limit ends a wait for one that never does. */
  async line(text: string): Promise<TextRecord> {
    const found = this.records.find((record) => record.text === text);
    return found ?? (await new Promise((resolve) => this.#awaited.set(text, resolve)));
  }

  texts(): string[] {
    return this.records.map(({ text }) => text);
  }
}

test('what was there before is history, what comes is news, each at its byte offset', async (t) => {
  const path = join(await folderFor(t), 'rank0.log');
  await writeFile(path, 'old é\n');
  const followed = new Followed(t, config(path));
  await followed.line('old é');
  await appendFile(path, 'new\n');
  const fresh = await followed.line('new');
  assert.deepEqual(
    followed.records.map(({ position, attributes }) => [position, attributes.history]),
    [
      [0, true],
      [7, undefined],
    ],
  );
  assert.equal(fresh.trust, 'tenant');
  assert.equal(fresh.stream, `job/llama:${path}`);
  assert.equal(fresh.timeMs, null);
  assert.deepEqual(fresh.attributes, { job: 'llama', path, framework: 'auto' });
});

test('of a large file only whole lines of the last 64 KiB are read back', async (t) => {
  const path = join(await folderFor(t), 'rank0.log');
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${String(i).padStart(6, '0')}`);
  await writeFile(path, `${lines.join('\n')}\n`);
  const followed = new Followed(t, config(path));
  await followed.line('line 019999');
  assert.match(followed.texts()[0] ?? '', /^line \d{6}$/);
  assert.ok(
    followed.records.length <= 65_536 / 12 && followed.records.length > 65_536 / 12 - 2,
    String(followed.records.length),
  );
  assert.ok(followed.records.every(({ attributes }) => attributes.history === true));
});

test('rotation by rename: the old file is read to its end, the new one from its start', async (t) => {
  const path = join(await folderFor(t), 'train.log');
  await writeFile(path, 'a\n');
  const followed = new Followed(t, config(path));
  await followed.line('a');
  await rename(path, `${path}.1`);
  await appendFile(`${path}.1`, 'last of the old\n');
  await followed.line('last of the old');
  await writeFile(path, 'first of the new\n');
  const first = await followed.line('first of the new');
  assert.equal(first.position, 0);
  assert.equal(first.attributes.history, undefined);
  assert.deepEqual(followed.texts(), ['a', 'last of the old', 'first of the new']);
});

test('truncation in place starts over', async (t) => {
  const path = join(await folderFor(t), 'train.log');
  await writeFile(path, 'a long first line\n');
  const followed = new Followed(t, config(path));
  await followed.line('a long first line');
  await truncate(path, 0);
  await appendFile(path, 'b\n');
  assert.equal((await followed.line('b')).position, 0);
  assert.match(followed.source.health()[0]?.detail ?? '', /truncated 1 times/);
});

test('a file, and its folder, may come later; all of it is news', async (t) => {
  const folder = join(await folderFor(t), 'run');
  const path = join(folder, 'train.log');
  const followed = new Followed(t, config(path));
  assert.equal(followed.source.health()[0]?.status, 'absent');
  await mkdir(folder);
  await writeFile(path, 'one\ntwo\n');
  await followed.line('two');
  assert.deepEqual(
    followed.records.map(({ attributes }) => attributes.history),
    [undefined, undefined],
  );
  assert.equal(followed.source.health()[0]?.status, 'works');
});

test('a wildcard takes every file that matches, also later ones, and does not read a rotated one again', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, 'rank0.log'), 'zero\n');
  await writeFile(join(folder, 'other.txt'), 'no\n');
  const followed = new Followed(t, config(join(folder, 'rank*')));
  await followed.line('zero');
  await writeFile(join(folder, 'rank1.log'), 'one\n');
  await followed.line('one');
  await rename(join(folder, 'rank0.log'), join(folder, 'rank0.log.1'));
  await writeFile(join(folder, 'rank0.log'), 'zero again\n');
  await followed.line('zero again');
  await writeFile(join(folder, 'rank2.log'), 'two\n');
  await followed.line('two');
  assert.deepEqual(followed.texts(), ['zero', 'one', 'zero again', 'two']);
});

test('a firehose of one job does not keep another job waiting, and loses no line', async (t) => {
  const folder = await folderFor(t);
  const big = join(folder, 'big.log');
  const small = join(folder, 'small.log');
  const followed = new Followed(t, config(big), { ...config(small), job: 'small' });
  const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}`);
  await writeFile(`${big}.tmp`, `${lines.join('\n')}\n`);
  await writeFile(small, 'hello\n');
  await rename(`${big}.tmp`, big);
  await Promise.all([followed.line('hello'), followed.line('line 199999')]);
  const ofBig = followed.records.filter(({ attributes }) => attributes.job === 'llama');
  assert.equal(ofBig.length, lines.length);
});

test('a folder where a file should be is a failed source with a reason', async (t) => {
  const followed = new Followed(t, config(await folderFor(t)));
  await until(() => followed.source.health()[0]?.status !== 'absent');
  const [health] = followed.source.health();
  assert.equal(health?.status, 'failed');
  assert.match(health?.detail ?? '', /FL2212 job llama: .* could not be read/);
});

test('after stop nothing comes any more', async (t) => {
  const path = join(await folderFor(t), 'train.log');
  await writeFile(path, 'a\n');
  const followed = new Followed(t, config(path));
  await followed.line('a');
  await followed.source.stop();
  await followed.source.stop();
  await appendFile(path, 'b\n');
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(followed.texts(), ['a']);
});

test('the job runs on this host, and so do the ranks that are named; no GPU is guessed', async (t) => {
  const path = join(await folderFor(t), 'train.log');
  const followed = new Followed(t, config(path, [8, 9]));
  const links = followed.discoveries.flatMap((discovery) => discovery.links);
  assert.deepEqual(
    links.map(({ from, relation, to }) => `${from.type}/${from.id} ${relation} ${to.type}/${to.id}`),
    [
      'host/node-1 runs job/llama',
      'host/node-1 runs rank/llama/8',
      'rank/llama/8 member_of job/llama',
      'host/node-1 runs rank/llama/9',
      'rank/llama/9 member_of job/llama',
    ],
  );
});

test('doctor reports when more ranks are here than are watched', async (t) => {
  const path = join(await folderFor(t), 'train.log');
  await writeFile(path, 'one\n');
  const ranks = Array.from({ length: 65 }, (_, rank) => rank);
  const [few, many] = [new Followed(t, config(path, ranks.slice(1))), new Followed(t, config(path, ranks))];
  await Promise.all([few.line('one'), many.line('one')]);
  assert.equal(few.source.health()[0]?.notes, undefined);
  assert.deepEqual(many.source.health()[0]?.notes, ['job llama: the speed of 64 of its 65 ranks here is watched']);
});

test('the log of a service is read as that of its service', async (t) => {
  const path = join(await folderFor(t), 'api.log');
  await writeFile(path, 'one\n');
  const followed = new Followed(t, { service: 'chat', path });
  const { stream, attributes } = await followed.line('one');
  assert.deepEqual([stream, attributes.service, attributes.job], [`service/chat:${path}`, 'chat', undefined]);
  assert.deepEqual(
    followed.discoveries.map(({ component, links }) => [component, links.length]),
    [[{ type: 'service', id: 'chat' }, 1]],
  );
  assert.match(followed.source.health()[0]?.detail ?? '', /^service chat: .*1 lines/);
});

test('a log that has nothing new is said to be read; one that is not there is not', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, 'a.log'), 'one\n');
  const here = new Followed(t, config(join(folder, 'a.log')));
  const absent = new Followed(t, config(join(folder, 'b.log')));
  await until(() => here.read.length > 0, { what: 'the log to be read' });
  assert.deepEqual([here.read, absent.read], [['job/llama#log_read'], []]);
});
