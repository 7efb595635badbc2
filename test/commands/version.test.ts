// version: of a checkout and of a release, the same from source and package.json; half an upgrade is named.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { byParts } from '../../src/commands/version/version-report.ts';
import { installationRoot, nativePath } from '../../src/native.ts';
import { faultline, folder } from './run-cli.ts';

const root = installationRoot();
const packaged = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** An installation of another version, laid out as a release is. */
function release(t: TestContext, version: string, build?: object): string {
  const at = folder();
  t.after(() => rmSync(at, { recursive: true, force: true }));
  mkdirSync(join(at, 'lib'));
  copyFileSync(nativePath('faultline.node'), join(at, 'lib', 'faultline.node'));
  cpSync(join(root, 'catalog'), join(at, 'catalog'), { recursive: true });
  for (const name of ['src', 'node_modules']) symlinkSync(join(root, name), join(at, name));
  writeFileSync(join(at, 'package.json'), JSON.stringify({ ...packaged, version }));
  if (build !== undefined) writeFileSync(join(at, 'build.json'), JSON.stringify(build));
  return at;
}

function versionOf(at: string): { status: number | null; report: Record<string, unknown> } {
  // The symlinks stay what they are: the program then takes this folder for its own.
  const words = ['--preserve-symlinks', '--preserve-symlinks-main', join(at, 'src/main.ts'), 'version', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(stderr, '');
  return { status, report: JSON.parse(stdout) };
}

test('of a checkout: the version of package.json, no commit, and the catalogue with its newest file', async () => {
  const { status, stdout, stderr } = await faultline(['version', '--json']);
  assert.deepEqual([status, stderr], [0, '']);
  const report = JSON.parse(stdout);
  assert.equal(report.schema, 'faultline/version/1');
  assert.deepEqual([report.version, report.native, report.problem], [packaged.version, packaged.version, null]);
  assert.deepEqual([report.commit, report.date, report.build], [null, null, 'checkout']);
  const versions: string[] = Object.values(report.catalogue.files);
  assert.equal(report.catalogue.files['kinds/gpu'].split('.').length, 3);
  assert.ok(versions.every((each) => byParts(each, report.catalogue.version) <= 0));
  assert.match(
    (await faultline(['version'])).stdout,
    /^faultline \S+\nbuild +a checkout\nplatform .*\ncatalogue .*\n$/,
  );
});

test('of a release: commit and date of its build.json', (t) => {
  const build = { commit: 'c'.repeat(40), date: '2026-11-29T08:00:00Z', platform: 'linux-x64', files: {} };
  const { status, report } = versionOf(release(t, packaged.version, build));
  assert.deepEqual([report.commit, report.date, report.build], [build.commit, build.date, 'release']);
  assert.deepEqual([status, report.problem], [0, null]);
});

test('half an upgrade: files of two releases, or one that is missing', (t) => {
  const build = { commit: 'c'.repeat(40), date: '2026-11-29T08:00:00Z', platform: 'linux-x64' };
  const sum = createHash('sha256')
    .update(readFileSync(nativePath('faultline.node')))
    .digest('hex');
  const whole = versionOf(release(t, '99.0.0', { ...build, files: { 'lib/faultline.node': sum } }));
  assert.deepEqual([whole.status, whole.report.problem], [0, null]);
  const files = { 'lib/faultline.node': 'a'.repeat(64), 'lib/faultline-vendor': sum };
  const { status, report } = versionOf(release(t, '99.0.0', { ...build, files }));
  assert.equal(status, 1);
  assert.match(
    String(report.problem),
    /^FL1004 lib\/faultline\.node and 1 more of \/.* is not of release 99\.0\.0: .*Install the release again$/,
  );
});

test('native parts that do not load are a line with what to install', (t) => {
  const at = release(t, packaged.version);
  writeFileSync(join(at, 'lib', 'faultline.node'), 'not an ELF file');
  const { status, report } = versionOf(at);
  assert.deepEqual([status, report.native], [1, null]);
  assert.match(String(report.problem), /^FL1001 .*Install the release for linux-\w+ again$/);
});
