import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unwatchFile,
  watchFile,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { watchConfig } from '../../../src/commands/run/watch-config.ts';
import { until } from '../../until.ts';

const LOOK_MS = 20;

/** A watched file, what was seen of it, and its looks: a look shares its reading of the file with the watch. */
function watched(t: TestContext, path: string) {
  const seen = { changes: 0, empty: 0, looks: [] as number[] };
  t.after(watchConfig(path, { changed: () => seen.changes++, emptied: () => seen.empty++ }, LOOK_MS));
  const look = ({ ino }: { ino: number }) => seen.looks.push(ino);
  watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  t.after(() => unwatchFile(path, look));
  return seen;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-watch-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

let version = 0;

/** Changes it now and then until that is noticed: what is there at the first look is what the watch begins with. */
async function noticed(isNoticed: () => boolean, change: () => void): Promise<void> {
  let changedMs = Number.NEGATIVE_INFINITY;
  await until(() => {
    if (isNoticed()) return true;
    if (performance.now() - changedMs > 15 * LOOK_MS) {
      change();
      changedMs = performance.now();
    }
    return false;
  });
}

/** As kubelet does it: a new folder, and a link that comes to lead there at once. */
function publish(at: string): void {
  version++;
  mkdirSync(join(at, `v${version}`));
  writeFileSync(join(at, `v${version}`, 'faultline.yaml'), `log_level: ${version}\n`);
  symlinkSync(`v${version}`, join(at, '..data_tmp'));
  renameSync(join(at, '..data_tmp'), join(at, '..data'));
}

test('a ConfigMap that kubelet replaced is noticed, each time', async (t) => {
  const at = folder(t);
  publish(at);
  symlinkSync('..data/faultline.yaml', join(at, 'faultline.yaml'));
  const seen = watched(t, join(at, 'faultline.yaml'));
  for (const wanted of [1, 2]) {
    await noticed(
      () => seen.changes >= wanted,
      () => publish(at),
    );
  }
});

test('a file that is gone does not count as a change, and its return does', async (t) => {
  const at = folder(t);
  const path = join(at, 'faultline.yaml');
  writeFileSync(path, 'log_level: info\n');
  const seen = watched(t, path);
  await noticed(
    () => seen.changes > 0,
    () => writeFileSync(path, `log_level: ${version++}\n`),
  );
  await noticed(
    () => seen.looks.at(-1) === 0,
    () => rmSync(path, { force: true }),
  );
  const before = seen.changes;
  writeFileSync(path, 'log_level: debug\n');
  await until(() => seen.changes > before);
  assert.equal(seen.changes, before + 1);
});

test('an editor that empties the file first, or is still at it, is waited for; an empty one is said and not taken', async (t) => {
  const at = folder(t);
  const path = join(at, 'faultline.yaml');
  writeFileSync(path, 'log_level: info\n');
  const seen = watched(t, path);
  await noticed(
    () => seen.changes > 0,
    () => writeFileSync(path, `log_level: ${version++}\n`),
  );
  const before = seen.changes;
  writeFileSync(path, '');
  await until(() => seen.empty === 1);
  assert.equal(seen.changes, before);
  // A save in many pieces, each later than the last: one change, at its end.
  for (let line = 0; line < 20; line += 1) {
    writeFileSync(path, `# ${line}\n`, { flag: 'a' });
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 4));
  }
  await until(() => seen.changes > before);
});

test('a drop-in that came, was edited in place or went is noticed', async (t) => {
  const at = folder(t);
  const conf = join(at, 'conf.d');
  const path = join(at, 'faultline.yaml');
  writeFileSync(path, 'log_level: info\n');
  let changes = 0;
  t.after(watchConfig(path, { changed: () => changes++, emptied: () => {} }, LOOK_MS));
  const after = async (change: () => void) => {
    const before = changes;
    await noticed(() => changes > before, change);
  };
  const site = join(conf, '50-site.yaml');
  mkdirSync(conf);
  await after(() => writeFileSync(join(conf, `${version++}.yaml`), 'log_level: warn\n'));
  await after(() => writeFileSync(site, `log_level: ${'d'.repeat(version++)}\n`));
  await after(() => rmSync(site, { force: true }));
});
