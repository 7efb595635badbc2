// An installation where no systemd runs, as in a container: the hint starts it, users in no group get the line that helps
// them from every command, and a purge leaves nothing.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const NAMESPACES = ['--pid', '--mount', '--net', '--fork', '--kill-child', '--mount-proc'];
const here = import.meta.dirname;

function obstacle(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for its namespaces';
  if (!existsSync(join(installationRoot(), 'dist/faultline.js'))) return 'needs the bundle: npm run build';
  const tried = spawnSync('unshare', [...NAMESPACES, 'bash', join(here, 'namespace.sh'), '/dev/null']);
  return tried.status === 0 ? false : 'needs namespaces and overlayfs, which this machine does not give';
}

describe('installed without systemd', { skip: obstacle() }, () => {
  const work = mkdtempSync(join(tmpdir(), 'fl-by-hand-'));
  let lines: string[] = [];

  before(() => {
    const script = [join(here, 'namespace.sh'), join(here, 'by-hand.sh'), work, installationRoot(), process.execPath];
    const { stdout, stderr } = spawnSync('unshare', [...NAMESPACES, 'bash', ...script], {
      encoding: 'utf8',
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    lines = stdout.split('\n');
    assert.ok(lines.includes('finished '), `it did not come to its end:\n${stdout}${stderr}`);
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  const said = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));

  test('the line that the installer prints starts the daemon as its user', () => {
    assert.deepEqual(said('install'), ['0']);
    assert.match(said('hint')[0] ?? '', /runuser -u faultline -- \/opt\/faultline\/bin\/faultline run$/);
    assert.deepEqual(said('socket'), ['faultline:faultline:660']);
  });

  test('each command tells a user in no group who may, and two lines that get there', () => {
    const answers = said('visitor');
    assert.equal(answers.length, 11);
    for (const answer of answers) {
      const [, status = '', words = '', text = ''] = /^(\d+) (.*) => (.*)$/.exec(answer) ?? [];
      assert.ok(status === '1' || status === '2', answer);
      const line = words === 'run' ? 'sudo systemctl start faultline' : `sudo faultline ${words}`;
      assert.ok(
        text.includes(`Only root and the group faultline may. Use sudo: ${line};`) ||
          text.includes(`Only faultline and the group faultline may. Use sudo: ${line};`),
        answer,
      );
      assert.match(text, /or join the group, then log in again: sudo usermod -aG faultline visitor/, answer);
      assert.match(text, /FL\d{4}/, answer);
      assert.doesNotMatch(text, /EACCES|ENOENT|FL1000| {4}at /, answer);
    }
    assert.match(said('member')[0] ?? '', /^no incidents/);
  });

  test('purge refuses under a running daemon, and else leaves neither file nor account', () => {
    assert.match(said('running')[0] ?? '', /^1 faultline: .* still runs: stop it first \(kill \d+\)/);
    assert.deepEqual(said('purge'), ['0']);
    assert.deepEqual(said('left'), ['']);
  });
});
