// Small files: held open, refusals remembered, and calls that hang hold up nothing but themselves.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FileCalls, SmallFiles } from '../../../src/sources/files/small-files.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl small '));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Calls that a test scripts; what it leaves out answers nothing. */
function calls(more: Partial<FileCalls>): FileCalls {
  return {
    open: async () => 3,
    read: async () => 0,
    close() {},
    list: async () => [],
    link: async () => '',
    real: async (path) => path,
    device: async () => 1,
    ...more,
  };
}

const failing = (code: string) => async (): Promise<number> => {
  throw Object.assign(new Error(code), { code });
};

test('a file is read again each time, without the newline at its end', async (t) => {
  const path = join(folder(t), 'state');
  const files = new SmallFiles();
  t.after(() => files.close());
  writeFileSync(path, '4: ACTIVE\n');
  assert.equal(await files.read(path), '4: ACTIVE');
  writeFileSync(path, '1: DOWN\n');
  assert.equal(await files.read(path), '1: DOWN');
  writeFileSync(path, '');
  assert.equal(await files.read(path), '');
});

test('a file that is not there is not asked again until its folder is forgotten', async (t) => {
  const root = folder(t);
  const path = join(root, 'late');
  const files = new SmallFiles();
  t.after(() => files.close());
  assert.equal(await files.read(path), null);
  writeFileSync(path, '1');
  assert.equal(await files.read(path), null);
  assert.equal(files.refusal(path), 'ENOENT');
  files.forget(`${root}/`);
  assert.equal(await files.read(path), '1');
});

test('a fifo, a folder and a file of another sort hold up nothing', async (t) => {
  const root = folder(t);
  execFileSync('mkfifo', [join(root, 'fifo')]);
  mkdirSync(join(root, 'folder'));
  const files = new SmallFiles();
  t.after(() => files.close());
  for (const name of ['fifo', 'folder']) assert.equal(await files.read(join(root, name)), null, name);
  assert.deepEqual(files.stuck, []);
  assert.equal(await files.list(join(root, 'fifo')), null);
  assert.deepEqual(await files.list(root), ['fifo', 'folder']);
});

for (const code of ['EINVAL', 'EIO', 'EOPNOTSUPP', 'EACCES']) {
  test(`a file that answers ${code} is left alone: asking again may fill the kernel log`, async () => {
    let asked = 0;
    const read = async () => {
      asked += 1;
      return failing(code)();
    };
    const files = new SmallFiles({ stuck: 0 }, calls({ read }));
    await files.read('/a');
    await files.read('/a');
    assert.equal(asked, 1);
    assert.equal(files.refusal('/a'), code);
  });
}

for (const code of ['EAGAIN', 'EBUSY', 'ENODEV']) {
  test(`a file that answers ${code} is opened and asked again`, async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      return 3;
    };
    const files = new SmallFiles({ stuck: 0 }, calls({ open, read: failing(code) }));
    await files.read('/a');
    await files.read('/a');
    assert.equal(opened, 2);
  });
}

test('a read that hangs is given up, named, not repeated, and taken up when it answers; two at most, over all readers', async () => {
  const asked: string[] = [];
  const wake: (() => void)[] = [];
  const paths = new Map<number, string>();
  let alive = false;
  const open = async (path: string) => {
    paths.set(paths.size + 3, path);
    return paths.size + 2;
  };
  const read = (file: number) => {
    const path = paths.get(file) ?? '';
    asked.push(path);
    if (alive || !path.startsWith('/dead')) return Promise.resolve(0);
    return new Promise<number>((resolve) => wake.push(() => resolve(0)));
  };
  const budget = { stuck: 0 };
  const files = new SmallFiles(budget, calls({ open, read }), 10);
  const others = new SmallFiles(budget, calls({ open, read }), 10);
  assert.equal(await files.read('/dead1'), null);
  assert.equal(await files.read('/well'), '');
  assert.equal(await others.read('/dead2'), null);
  assert.equal(await files.read('/well'), null, 'two threads of the pool are taken, the rest is left to others');
  assert.equal(await files.read('/dead1'), null);
  assert.deepEqual(asked, ['/dead1', '/well', '/dead2']);
  assert.deepEqual([files.stuck, others.stuck], [['/dead1'], ['/dead2']]);
  alive = true;
  for (const one of wake) one();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([files.stuck, budget.stuck], [[], 0]);
  assert.equal(await files.read('/dead1'), '');
});

test('an open that answers after its deadline is closed', async () => {
  const closed: number[] = [];
  let answer = (_file: number): void => {};
  const open = () =>
    new Promise<number>((resolve) => {
      answer = resolve;
    });
  const files = new SmallFiles({ stuck: 0 }, calls({ open, close: (file) => void closed.push(file) }), 10);
  assert.equal(await files.read('/slow'), null);
  answer(42);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(closed, [42]);
});
