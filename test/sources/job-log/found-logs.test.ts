// Logs of work that was found: followed without configuration, by the rights of the job's user, until a while after its end.

import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LogWriter, Work, WorkView } from '../../../src/identity/work/work.ts';
import type { NamedBy } from '../../../src/model/native-files.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import { until } from '../../until.ts';

const OURS: NamedBy = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
const SLURM = 'scontrol show job';

function work(id: string, path: string, more: Partial<Work> = {}): Work {
  return {
    id, aliases: [], manager: 'slurm', name: null, user: null, account: null, queue: null, pods: [], ranks: [], worldSize: 8,
    framework: null, logs: [{ path, namedBy: OURS, knownBy: SLURM }], step: null, attempt: null, startedMs: null, knownBy: [SLURM],
    ...more,
  }; // biome-ignore format: one job
}

class Followed {
  readonly records: TextRecord[] = [];
  readonly source: JobLogSource;
  readonly folder: string;
  nowMs = Date.now();
  #view: WorkView = { version: 0, works: [], devices: [], conflicts: [] };

  /** Processes that were asked for what they print into. */
  readonly asked: LogWriter[] = [];
  /** The file of the next one that is asked; null: it hands nothing over. */
  lent: string | null = null;

  constructor(t: TestContext, configured: readonly string[] = []) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'found-logs-')));
    const jobs = configured.map((name) => ({ job: 'named', path: join(this.folder, name), framework: 'auto', ranks: [], worldSize: null })); // biome-ignore format: one line
    this.source = new JobLogSource(jobs, { host: 'node-1', now: () => this.nowMs, pollMs: 5, work: () => this.#view, lend: async (writer) => {
      this.asked.push(writer);
      return this.lent === null ? null : openSync(this.lent, 'r');
    } }); // biome-ignore format: one source
    t.after(async () => {
      await this.source.stop();
      rmSync(this.folder, { recursive: true, force: true });
    });
    const text = (record: TextRecord): void => void this.records.push(record);
    const emit = { text, discovery() {}, samples() {}, event() {} };
    this.source.start(emit, new AbortController().signal);
  }

  has(...works: Work[]): void {
    this.#view = { ...this.#view, version: this.#view.version + 1, works };
  }

  file(name: string, text = ''): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  lines(): string[] {
    return this.records.map(({ text, attributes }) => `${attributes?.job}: ${text}`);
  }
}

test('a job that appears is followed by its name, and under a new name once it has one', async (t) => {
  const followed = new Followed(t);
  assert.match(followed.source.health()[0]?.detail ?? '', /none was found yet/);
  const path = followed.file('slurm-991.out', 'before\n');
  followed.has(work('991', path));
  await until(() => followed.lines().includes('991: before'));
  followed.has(work('llama', path, { aliases: ['991'] }));
  await until(() => {
    appendFileSync(path, 'x\n');
    return followed.lines().includes('llama: x');
  });
  const [health] = followed.source.health();
  assert.equal(health?.status, 'works');
  assert.deepEqual(health?.notes, [`found: ${SLURM}`]);
  assert.equal(followed.source.silenceMatters(), true);
});

test('what was written last is read after the end, and then the log is left', async (t) => {
  const followed = new Followed(t);
  const path = followed.file('slurm-992.out');
  followed.has(work('992', path));
  await until(() => followed.source.health()[0]?.status === 'works');
  followed.has();
  appendFileSync(path, 'Traceback\n');
  await until(() => followed.lines().includes('992: Traceback'));
  followed.nowMs += 120_000;
  await until(() => !followed.source.silenceMatters());
  assert.ok(followed.source.counts().some(({ reads }) => reads === 1));
});

test('a log that is configured is read once, under its configured name', async (t) => {
  const followed = new Followed(t, ['a.log']);
  const path = followed.file('a.log');
  const other = followed.file('b.log');
  followed.has(work('993', path), work('994', other));
  await until(() => followed.source.health().some(({ detail }) => detail.includes('b.log')));
  appendFileSync(path, 'once\n');
  appendFileSync(other, 'other\n');
  await until(() => followed.lines().includes('named: once') && followed.lines().includes('994: other'));
  assert.equal(followed.lines().length, 2);
});

test("what the job's user may not read is not read for him, and a log of an unknown user not at all", async (t) => {
  const followed = new Followed(t);
  const path = followed.file('secret', 'root:secret\n');
  chmodSync(path, 0o600);
  chmodSync(followed.folder, 0o755);
  const logs = [
    { path, namedBy: [65_533, 65_533] as const, knownBy: SLURM },
    { path: followed.file('unknown.log', 'a line\n'), namedBy: null, knownBy: SLURM },
  ];
  followed.has(work('995', path, { logs }));
  const [health] = await until(() => (/no file|none was/.test(followed.source.health()[0]?.detail ?? '') ? null : followed.source.health())); // biome-ignore format: one line
  assert.equal(health?.status, 'no_permission');
  assert.equal(followed.source.health().length, 1);
  assert.deepEqual(followed.records, []);
});

test("a pod's log comes without the marks of its runtime", async (t) => {
  const followed = new Followed(t);
  const path = followed.file('0.log', '2026-11-28T01:16:50.1Z stdout P step\n2026-11-28T01:16:50.1Z stdout F : 7\n');
  const pods = [{ namespace: 'ml', name: 'llama-0', uid: '1', container: 'trainer' }];
  followed.has(work('llama', path, { pods, manager: 'kubernetes' }));
  await until(() => followed.lines().includes('llama: step: 7'));
});

test('a log out of sight is read by the descriptor of the process that prints into it, also once that is gone', async (t) => {
  const followed = new Followed(t);
  const path = join(followed.folder, 'hidden', 'rank0.log');
  const writer = { pid: 11, startTicks: 7, inode: 3 };
  followed.has(work('991', path, { logs: [{ path, namedBy: OURS, knownBy: 'x', writer }] }));
  await until(() => followed.asked.length > 1);
  assert.deepEqual(followed.asked[0], writer);
  assert.match(followed.source.health()[0]?.detail ?? '', /^FL2213/);
  const real = followed.file('elsewhere.log', 'before\n');
  followed.lent = real;
  await until(() => followed.lines().includes('991: before'));
  followed.lent = null;
  appendFileSync(real, 'then\n');
  await until(() => followed.lines().includes('991: then'));
  assert.match(followed.source.health()[0]?.detail ?? '', /rank0\.log, 2 lines/);
});

test('what its user may not read here is not read where it is not lent', async (t) => {
  const followed = new Followed(t);
  const path = followed.file('private.log', 'hush\n');
  chmodSync(path, 0o600);
  const log = {
    path,
    namedBy: [54_321, 54_321] as NamedBy,
    knownBy: 'x',
    writer: { pid: 11, startTicks: 7, inode: 3 },
  };
  followed.has(work('991', path, { logs: [log] }));
  await until(() => /FL2214/.test(followed.source.health()[0]?.detail ?? ''));
  await until(() => followed.asked.length > 1);
  assert.deepEqual(followed.lines(), []);
});
