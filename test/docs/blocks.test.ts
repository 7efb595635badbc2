// Commands of the pages by which people install and try it: each block is typed by a test, or its row says why not.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeBlocks, ROOT, read } from './markdown.ts';

const WALK = 'scripts/lib/packages/walk-docs.sh';
const CHECKOUT = 'a checkout that is compiled: .ci/run does it with scripts/build, scripts/demo and scripts/test';

/**
 * By page, each sh block in order: the file that types it and words of that file, or why no test does. Of the walk it is the heading and
 * the number of the block below it, which takes the block out of the page itself.
 */
const TYPED: Readonly<Record<string, readonly (readonly [by: string | null, words: string])[]>> = {
  'README.md': [
    ['scripts/lib/first-incident.sh', './scripts/demo'],
    [WALK, "typed docs/guide/install.md 'Debian and Ubuntu' 1"],
    [null, CHECKOUT],
    [WALK, "typed README.md 'On a real host' 2"],
  ],
  'docs/guide/install.md': [
    [WALK, "typed docs/guide/install.md 'Verify' 1"],
    [WALK, "typed docs/guide/install.md 'Verify' 2"],
    [WALK, "typed docs/guide/install.md 'Debian and Ubuntu' 1"],
    [WALK, "typed docs/guide/install.md 'Debian and Ubuntu' 2"],
    [null, 'dnf is not in Debian: walk-rpm.sh does the same by rpm'],
    ['scripts/lib/packages/walk-rpm.sh', 'userdel faultline && userdel faultline-environ'],
    [WALK, "typed docs/guide/install.md 'Tarball' 1"],
    [WALK, "typed docs/guide/install.md 'Tarball' 2"],
    ['scripts/check-release', 'openssl genpkey -algorithm ed25519'],
    ['scripts/check-release', 'scripts/release "$version"'],
  ],
  'docs/guide/getting-started.md': [
    ['scripts/lib/first-incident.sh', './scripts/demo'],
    ['test/scripts/started-by-script.test.ts', 'scripts/faultline'],
    ['test/e2e/doctor.test.ts', "'doctor'"],
    [null, 'a PDU and a BMC at addresses of an example: test/commands/probe has them on loopback'],
    ['test/e2e/daemon-under-test.ts', "'run'"],
  ],
  'docs/guide/slurm.md': [[WALK, "typed docs/guide/slurm.md 'A prologue, optional' 1"]],
  'docs/guide/kubernetes.md': [
    ['test/deploy/chart/helm-install.slow.ts', "typed('By Helm', 0)"],
    [null, 'a registry to copy to: test/deploy/image/image.slow.ts runs the archive itself'],
    [WALK, 'typed docs/guide/kubernetes.md "kubelet\'s sockets, as a service of systemd" 1'],
  ],
  'deploy/grafana/README.md': [
    [null, 'a container engine: the page says so'],
    ['test/deploy/grafana-stack.slow.ts', "'demo', '--export', 'http://127.0.0.1:4317'"],
    ['test/deploy/grafana-stack.slow.ts', "'scripts/grafana-stack'"],
  ],
};

for (const [page, rows] of Object.entries(TYPED)) {
  test(`${page}: every block of commands is typed by a test, or says why not`, () => {
    const blocks = codeBlocks(read(page)).filter(({ info }) => info === 'sh');
    assert.equal(blocks.length, rows.length, 'one row for each block, in their order');
    for (const [by, words] of rows)
      if (by !== null) assert.ok(readFileSync(join(ROOT, by), 'utf8').includes(words), `${by} has no ${words}`);
  });
}
