// A real journald, in a namespace of its own: lines of programs and of the kernel as it has them, once each, over a rotation.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { JournalSource } from '../../../../src/sources/journal/journal-source.ts';
import { until } from '../../../until.ts';
import { CLOCK, run } from './run-source.ts';

const runFile = promisify(execFile);

test('what programs log comes once each, before and after a rotation, with what journald itself knows of them', async (t) => {
  const state = mkdtempSync(join(tmpdir(), 'fl-journald-'));
  t.after(() => rmSync(state, { recursive: true }));
  const daemon = spawn('/lib/systemd/systemd-journald', { stdio: 'ignore' });
  t.after(() => daemon.kill());
  const { stdout: name } = await runFile('hostname');
  const settings = {
    enabled: 'on',
    paths: ['/run/log/journal'],
    hosts: [name.trim()],
    work: [],
    linesPerSecond: 100_000,
  } as const;
  const { lines } = run(
    t,
    new JournalSource(settings, { ...CLOCK, proc: '/proc', state, kernel: () => false, pollMs: 50 }),
  );
  const log = (text: string) =>
    runFile('logger', ['-u', '/run/systemd/journal/dev-log', '-t', 'nv-fabricmanager', text], { timeout: 5000 });
  await until(() =>
    log('begin')
      .then(() => lines.some(({ text }) => text.endsWith('begin')))
      .catch(() => false),
  );
  for (let i = 0; i < 50; i += 1) await log(`line ${i}`);
  await until(() => lines.some(({ text }) => text.endsWith('line 49')));
  daemon.kill('SIGUSR2'); // rotate
  for (let i = 50; i < 100; i += 1) await log(`line ${i}`);
  await until(() => lines.some(({ text }) => text.endsWith('line 99')));
  const numbers = lines.map(({ text }) => /line (\d+)$/.exec(text)?.[1]).filter((each) => each !== undefined);
  assert.deepEqual(
    numbers,
    Array.from({ length: 100 }, (_, i) => String(i)),
  );
  // logger took a program's name, and is not what runs in that program's unit.
  assert.ok(lines.every(({ trust, attributes }) => trust === 'tenant' && attributes.history !== true));
});
