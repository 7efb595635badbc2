// What commands that are to answer at once load: neither the parser of YAML nor the sources, nor catalogues that they do not use.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** The modules that are read with this one, without what it loads by import(). */
async function loadedWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    write: false,
    metafile: true,
    external: ['*.node'],
    logLevel: 'error',
  });
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind === 'import-statement' || kind === 'require-call') visit(next);
  };
  visit(entry);
  return [...seen];
}

const HEAVY =
  /node_modules\/yaml|^src\/sources\/|^catalog\/patterns|correlation\/patterns\/patterns\.ts|^src\/native\.ts/;

test('a list of incidents', async () => {
  const loaded = await loadedWith('src/commands/incidents/list-incidents.ts');
  assert.ok(loaded.includes('src/incidents/log/load.ts'));
  assert.deepEqual(
    loaded.filter((path) => HEAVY.test(path)),
    [],
  );
});

test('correlate with the scorer of PowerTrace', async () => {
  const loaded = await loadedWith('src/commands/correlate/run-correlate.ts');
  assert.ok(loaded.includes('src/commands/correlate/powertrace/incidents.ts'));
  assert.deepEqual(
    loaded.filter((path) => HEAVY.test(path) || path.startsWith('catalog/')),
    [],
  );
});

test('the zone of times is the one that Intl says, whether or not it is asked', () => {
  const code = `const { processIo } = await import('./src/commands/common/command-io.ts');
    console.log(JSON.stringify([processIo().timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone]));`;
  for (const zone of [undefined, 'UTC', 'Etc/UTC', 'Europe/Berlin', 'America/St_Johns']) {
    const env = { ...process.env, TZ: zone };
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    const [own, intl] = JSON.parse(stdout || 'null') ?? assert.fail(stderr);
    assert.equal(own, intl, zone);
  }
});
