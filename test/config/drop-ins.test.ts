// conf.d next to faultline.yaml: what is joined, what replaces, whose line a mistake is reported at, what is refused.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import { logFolder } from '../../src/config/log-folder.ts';
import { readConfig } from '../../src/daemon/config.ts';
import { configInThread } from '../../src/daemon/config-in-thread.ts';
import { surroundings } from './helpers.ts';

const OOPS = 'hosst: node-4\n';

/** A configuration with these drop-ins by name; gives its path. */
function configuration(
  t: TestContext,
  text: string,
  dropIns: Readonly<Record<string, string>>,
  name = 'faultline.yaml',
) {
  const folder = mkdtempSync(join(tmpdir(), 'fl-drop-ins-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'conf.d'));
  for (const [each, content] of Object.entries(dropIns)) writeFileSync(join(folder, 'conf.d', each), content);
  return { path: join(folder, name), folder: join(folder, 'conf.d') };
}

async function complaints(path: string): Promise<string[]> {
  const error = await readConfig(path, surroundings()).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ConfigError, 'it was taken');
  return error.message.split('\n');
}

const job = (name: string) => `sources: {job_log: [{job: ${name}, path: /jobs/${name}.log}]}\n`;

test('sections are joined, lists grow, and of a value the last file by name counts', async (t) => {
  const { path } = configuration(t, `host: node-1\nlog_level: warn\n${job('a')}`, {
    '20-site.yaml': `host: node-2\n${job('b')}`,
    '10-first.yaml': 'host: node-9\nprometheus: {dcgm_names: true}\n',
    '.hidden.yaml': OOPS,
    'notes.txt': OOPS,
  });
  for (const check of [undefined, configInThread]) {
    const { raw } = await readConfig(path, surroundings(), check);
    const { host, log_level, sources, prometheus } = JSON.parse(JSON.stringify(raw));
    assert.deepEqual([host, log_level, prometheus.dcgm_names], ['node-2', 'warn', true]);
    assert.deepEqual(
      sources.job_log.map((each: { job: string }) => each.job),
      ['a', 'b'],
    );
  }
});

test('a mistake is reported at the file and line that it is in, also in an entry of a list that grew', async (t) => {
  const { path, folder } = configuration(t, `${job('a')}log_level: loud\n`, {
    '10-a.yaml': `\n${OOPS}`,
    '20-b.yaml': '\nsources:\n  job_log:\n    - {job: b, path: /jobs/b.log}\n    - {job: c, path: 7, ranks: x}\n',
    '30-c.yaml': 'sources: [\n',
  });
  const lines = (await complaints(path)).join('\n');
  assert.match(lines, new RegExp(`^${path}:2:12: log_level `, 'm'));
  assert.match(lines, new RegExp(`^${folder}/10-a\\.yaml:2:1: hosst is not known\\. Did you mean: host`, 'm'));
  assert.match(lines, new RegExp(`^${folder}/20-b\\.yaml:5:\\d+: sources\\.job_log\\[2\\]\\.`, 'm'));
  assert.match(lines, new RegExp(`^${folder}/30-c\\.yaml:\\d+:\\d+: is not valid YAML`, 'm'));
});

test('only a faultline.yaml has drop-ins; what is not a file there is refused by its name', async (t) => {
  const other = configuration(t, 'host: node-1\n', { 'a.yaml': OOPS }, 'other.yaml');
  assert.equal((await readConfig(other.path, surroundings())).config.host, 'node-1');
  const odd = configuration(t, '', {});
  mkdirSync(join(odd.folder, 'folder.yaml'));
  assert.match((await complaints(odd.path))[0] ?? '', new RegExp(`^${odd.folder}/folder\\.yaml: .* \\[FL1101\\]$`));
  const many = configuration(t, '', Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`${i}.yaml`, ''])));
  assert.match((await complaints(many.path))[0] ?? '', /conf\.d: there are 65 files; at most 64 are read/);
  const dangling = configuration(t, 'host: node-1\n', {});
  symlinkSync('/nonexistent/faultline', join(dangling.folder, 'a.yaml'));
  assert.equal((await readConfig(dangling.path, surroundings())).config.host, 'node-1');
});

test('the folder of the log is known from a drop-in too', async (t) => {
  const { path } = configuration(t, 'host: node-1\n', { 'log.yaml': 'directories: {log: /srv/incidents}\n' });
  assert.equal((await logFolder(path, surroundings())).log, '/srv/incidents');
});
