// Scenarios that are kept elsewhere: played by scripts/accuracy, reported on stdout, nothing of the repository changed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../../src/native.ts';

const FAMILY = `family: own
world: { hosts: [{ name: node-3, gpus: { count: 8 }, cpus: { packages: 2 } }] }
scenarios:
  - name: own-port-down
    title: A port goes down and stays down
    duration: 2m
    timeline:
      - id: down
        at: 10s
        for: 60s
        event: { source: nic, kind: nic.port_down, component: "nic/0000:40:00.0", poll: 1s }
    truth:
      incidents:
        - root: { kind: nic.port_down, component: "nic/0000:40:00.0" }
          cause: down
          within: 5s
          action: check_link
`;

test('a folder of own scenarios is played and its page printed; the page and the pins kept here stay', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-own-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '10-own.yaml'), FAMILY);
  const root = installationRoot();
  const kept = ['docs/accuracy.md', 'test/corpus/pinned.json'].map((path) => join(root, path));
  const before = kept.map((path) => readFileSync(path, 'utf8'));
  const script = join(root, 'scripts', 'lib', 'accuracy.mjs');
  const page = execFileSync(process.execPath, [script, '--scenarios', folder, '--seeds', '2'], { encoding: 'utf8' });
  assert.match(page, /Right in sample: 1 of 1, /);
  assert.match(page, /\| own \| 1 of 1, /);
  assert.deepEqual(kept.map((path) => readFileSync(path, 'utf8')), before); // biome-ignore format: one call
});
