// The folder of the incident log: `incidents` and `explain` need that of the configuration, and no secret or other part of it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logFolder } from '../../src/config/log-folder.ts';
import { readConfig } from '../../src/daemon/config.ts';
import { surroundings } from './helpers.ts';

function written(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'log-folder-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'faultline.yaml');
  writeFileSync(path, text);
  return path;
}

test('secrets that this user cannot read, and sources that are wrong, do not hide the log', async (t) => {
  const path = written(
    t,
    [
      'directories: { log: /srv/incidents }',
      'sources:',
      '  pdu:',
      '    - { name: a, host: 10.0.0.1, community_file: /nonexistent/community }',
      '  bmc:',
      '    - { url: "https://10.0.0.2", user: a, password_file: /nonexistent/password }',
    ].join('\n'),
  );
  await assert.rejects(readConfig(path, surroundings()), /\/nonexistent/);
  const { log, by } = await logFolder(path, surroundings());
  assert.deepEqual([log, by], ['/srv/incidents', 'named']);
});
