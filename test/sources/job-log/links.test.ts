// A job's user may write the folder of its log: what he puts there to be read instead is refused, said once, and harms no other.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import type { JobLogSettings } from '../../../src/sources/job-log/settings.ts';

const TENANT = 65_534;
const asRoot = process.geteuid?.() === 0;
const SECRET = 'root:$6$salt$hash';

interface Place {
  /** Of the tenant, who may put what he likes into it. */
  readonly jobs: string;
  /** Next to it: the tenant may not read it. */
  readonly secret: string;
}

async function place(t: TestContext): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'links-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const jobs = join(root, 'jobs');
  const secret = join(root, 'secret');
  await mkdir(jobs);
  await mkdir(secret, { mode: 0o700 });
  await writeFile(join(secret, 'shadow'), `${SECRET}\n`, { mode: 0o600 });
  await theirs(jobs);
  return { jobs, secret };
}

/** As the tenant's; who is not root cannot give it away, and lets everybody write it instead. */
async function theirs(path: string, mode = 0o777): Promise<void> {
  if (asRoot) await chown(path, TENANT, TENANT);
  else await chmod(path, mode);
}

class Watched {
  readonly texts: string[] = [];
  readonly source: JobLogSource;

  constructor(t: TestContext, path: string) {
    const config: JobLogSettings = { job: 'llama', path, framework: 'auto', ranks: [], worldSize: null };
    this.source = new JobLogSource([config], { host: 'node-1', now: () => Date.now(), pollMs: 10 });
    const emit = {
      samples() {},
      event() {},
      discovery() {},
      text: ({ text }: { text: string }) => void this.texts.push(text),
    };
    this.source.start(emit, new AbortController().signal);
    t.after(() => this.source.stop());
  }

  async until(what: () => boolean): Promise<void> {
    for (const end = Date.now() + 20_000; !what(); await sleep(5))
      assert.ok(Date.now() < end, JSON.stringify(this.health()));
  }

  health(): string {
    return JSON.stringify(this.source.health());
  }
}

const placed: Readonly<Record<string, (to: Place, name: string) => Promise<void>>> = {
  'a link to the file': ({ secret }, name) => symlink(join(secret, 'shadow'), name),
  'a relative link': (_, name) => symlink('../secret/shadow', name),
  'a link to a link': async ({ jobs, secret }, name) => {
    await symlink(join(secret, 'shadow'), join(jobs, 'step'));
    await symlink('step', name);
  },
  'a hard link': ({ secret }, name) => link(join(secret, 'shadow'), name),
  'a link to a device': (_, name) => symlink('/dev/zero', name),
};

for (const [what, put] of Object.entries(placed)) {
  test(`${what} in the place of a log is not read, and doctor says which and why`, async (t) => {
    const at = await place(t);
    const path = join(at.jobs, 'train.log');
    await put(at, path);
    const watched = new Watched(t, path);
    await watched.until(() => watched.health().includes('FL2214'));
    const [health] = watched.source.health();
    assert.equal(health?.status, 'no_permission');
    assert.ok(health?.detail.includes(path), health?.detail);
    assert.notEqual(health?.remedy, null);
    assert.deepEqual(watched.texts, []);
    // The log itself is taken up as soon as it is there.
    await rm(path, { recursive: true });
    await writeFile(path, 'step 1\n');
    if (asRoot) await theirs(path);
    await watched.until(() => watched.texts.includes('step 1'));
    assert.ok(!watched.health().includes('FL2214'));
  });
}

const OTHER: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'a FIFO': async (name) => execFileSync('mkfifo', [name]),
  'a folder': (name) => mkdir(name),
};

for (const [what, put] of Object.entries(OTHER)) {
  test(`${what} in the place of a log holds nothing up, and doctor says so`, async (t) => {
    const { jobs } = await place(t);
    await put(join(jobs, 'train.log'));
    await writeFile(join(jobs, 'other.log'), 'step 1\n');
    if (asRoot) await theirs(join(jobs, 'other.log'));
    const watched = new Watched(t, join(jobs, 'train.log'));
    const other = new Watched(t, join(jobs, '*.log'));
    await watched.until(() => /FL2212 .*\(is (not a regular file|a folder)\)/.test(watched.health()));
    await other.until(() => other.texts.includes('step 1'));
  });
}

test('a folder on the way that is a link of the tenant is not entered', async (t) => {
  const at = await place(t);
  await symlink(at.secret, join(at.jobs, 'run'));
  const watched = new Watched(t, join(at.jobs, 'run', 'shadow'));
  await watched.until(() => watched.health().includes('FL2214'));
  assert.match(watched.health(), new RegExp(`${join(at.jobs, 'run')} is a symbolic link, in a path that .* may write`));
  assert.deepEqual(watched.texts, []);
});

test('among files of a wildcard a link is left out and noted, the others are read', async (t) => {
  const at = await place(t);
  await symlink(join(at.secret, 'shadow'), join(at.jobs, 'a.log'));
  await writeFile(join(at.jobs, 'b.log'), 'step 1\n');
  if (asRoot) await theirs(join(at.jobs, 'b.log'));
  const watched = new Watched(t, join(at.jobs, '*.log'));
  await watched.until(() => watched.texts.includes('step 1') && watched.health().includes('FL2214'));
  const [health] = watched.source.health();
  assert.equal(health?.status, 'works');
  assert.equal(health?.notes?.length, 1);
  assert.deepEqual(watched.texts, ['step 1']);
});

test('a log that is exchanged for a link while it is read is left, and what comes back is read', async (t) => {
  const at = await place(t);
  const path = join(at.jobs, 'train.log');
  await writeFile(path, 'step 1\n');
  if (asRoot) await theirs(path);
  const watched = new Watched(t, path);
  await watched.until(() => watched.texts.includes('step 1'));
  // A rotation as any other: the last lines of the old file still come.
  await rename(path, `${path}.1`);
  await appendFile(`${path}.1`, 'step 2\n');
  await watched.until(() => watched.texts.includes('step 2'));
  await symlink(join(at.secret, 'shadow'), path);
  await watched.until(() => watched.health().includes('FL2214'));
  await rm(path);
  await writeFile(path, 'step 3\n');
  if (asRoot) await theirs(path);
  await watched.until(() => watched.texts.includes('step 3'));
  assert.deepEqual(watched.texts, ['step 1', 'step 2', 'step 3']);
});

test('names that change all the time never lead to a file that the tenant cannot read', async (t) => {
  const at = await place(t);
  const path = join(at.jobs, 'train.log');
  const good = join(at.jobs, 'good');
  await writeFile(good, 'step 1\n');
  if (asRoot) await theirs(good);
  await symlink(at.secret, join(at.jobs, 'bad'));
  const watched = new Watched(t, path);
  for (const end = Date.now() + 1500; Date.now() < end; ) {
    await rm(path, { force: true });
    await link(good, path);
    await sleep(3);
    await symlink('../secret/shadow', join(at.jobs, 'next'));
    await rename(join(at.jobs, 'next'), path);
    await sleep(3);
  }
  assert.ok(!watched.texts.some((text) => text.includes(SECRET)));
});
