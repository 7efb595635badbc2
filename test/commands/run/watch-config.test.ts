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
  const seen = { changes: 0, looks: [] as number[] };
  t.after(watchConfig(path, () => seen.changes++, LOOK_MS));
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
    // What was published before the first look is what the watch begins with.
    await until(() => {
      if (seen.changes >= wanted) return true;
      publish(at);
      return false;
    });
  }
});

test('a file that is gone does not count as a change, and its return does', async (t) => {
  const at = folder(t);
  const path = join(at, 'faultline.yaml');
  writeFileSync(path, 'log_level: info\n');
  const seen = watched(t, path);
  await until(() => {
    if (seen.looks.at(-1) === 0) return true;
    writeFileSync(path, `log_level: ${version++}\n`);
    if (seen.changes > 0) rmSync(path);
    return false;
  });
  const before = seen.changes;
  assert.equal(seen.looks.filter((ino) => ino !== 0).length, before);
  writeFileSync(path, 'log_level: debug\n');
  await until(() => seen.changes > before);
});

test('a drop-in that came, was edited in place or went is noticed', async (t) => {
  const at = folder(t);
  const conf = join(at, 'conf.d');
  const path = join(at, 'faultline.yaml');
  writeFileSync(path, 'log_level: info\n');
  let changes = 0;
  t.after(watchConfig(path, () => changes++, LOOK_MS));
  // Done until it is noticed: what is there at the first look is what the watch begins with.
  const noticed = async (change: () => void) => {
    const before = changes;
    await until(() => {
      if (changes > before) return true;
      change();
      return false;
    });
  };
  const site = join(conf, '50-site.yaml');
  mkdirSync(conf);
  await noticed(() => writeFileSync(join(conf, `${version++}.yaml`), 'log_level: warn\n'));
  await noticed(() => writeFileSync(site, `log_level: ${'d'.repeat(version++)}\n`));
  await noticed(() => rmSync(site, { force: true }));
});
