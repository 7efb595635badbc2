// What a start must not do: look into the tables of ICU, which stay in memory, or read the program as a hundred small files.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PROGRAM } from '../program.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';

const hook = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;
const closing: DaemonUnderTest[] = [];
afterEach(async () => {
  for (const name of ['NODE_OPTIONS', 'LOADED_MODULES', 'USES_OF_ICU']) delete process.env[name];
  for (const daemon of closing.splice(0)) await daemon.close();
});

/** A daemon with two GPUs and an incident behind it, and the two lists that the hooks write. */
async function started(extra = ''): Promise<{ modules: string[]; uses: string }> {
  const daemon = new DaemonUnderTest({ gpus: 2, extra });
  closing.push(daemon);
  const [modules, uses] = [join(daemon.folder, 'modules'), join(daemon.folder, 'uses')];
  process.env.NODE_OPTIONS = `--import=${hook('loaded-modules.mjs')} --import=${hook('uses-of-icu.mjs')}`;
  process.env.LOADED_MODULES = modules;
  process.env.USES_OF_ICU = uses;
  await daemon.start();
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.');
  await daemon.until('the incident is on disk', () => daemon.logged('incident').length > 0);
  return {
    modules: readFileSync(modules, 'utf8').split('\n').filter(Boolean),
    uses: existsSync(uses) ? readFileSync(uses, 'utf8') : '',
  };
}

test('neither the start nor the first incident uses ICU, and the bundle is read as few files', async () => {
  const { modules, uses } = await started();
  assert.equal(uses, '');
  const parts = new Set(modules.filter((url) => url.includes('/dist/') && !url.includes('/node_modules/')));
  assert.equal(parts.size > 0, PROGRAM.includes('/dist/'));
  assert.ok(parts.size <= 32, `${parts.size} files of the bundle are read: ${[...parts].join('\n')}`);
});

test('nor does a channel of notifications', async () => {
  // No process listens there: what is sent is made all the same.
  const { uses } = await started('notify: {channels: [{name: people, type: webhook, url: "http://127.0.0.1:9/"}]}');
  assert.equal(uses, '');
});

test('the hook sees what uses ICU', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-icu-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'uses');
  const words = [
    `--import=${hook('uses-of-icu.mjs')}`,
    '-e',
    "'a'.localeCompare('b'); new Intl.DateTimeFormat(); (1).toLocaleString()",
  ];
  spawnSync(process.execPath, words, { env: { ...process.env, USES_OF_ICU: file } });
  const uses = readFileSync(file, 'utf8').match(/^Error: .*$/gm);
  assert.deepEqual(uses, ['Error: localeCompare', 'Error: DateTimeFormat', 'Error: toLocaleString']);
});
