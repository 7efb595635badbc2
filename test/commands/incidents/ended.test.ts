// After the daemon ended: what is open is so "as of" its last sign of life, and --follow says that no daemon writes.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../../src/api/api-server.ts';
import { ALIVE, AliveMark } from '../../../src/incidents/log/alive.ts';
import { TestBackend, temporaryFolder } from '../../api/helpers.ts';
import { until } from '../../incidents/log/folder.ts';
import { incident, T0 } from '../../incidents/sample.ts';
import { logOf, run, runAt, start } from '../incident-command.ts';

const LOSS = { gpus: 8, share: 1, fromMs: T0 - 3_600_000, toMs: null, rate: null };
const OPEN = incident('1111aaaaaaaa', {
  openedMs: T0 - 3_600_000,
  updatedMs: T0 - 3_500_000,
  impact: [
    {
      component: { type: 'job', id: 'llama' },
      quantity: 'lost',
      before: null,
      after: null,
      unit: '',
      text: 'stopped',
      loss: LOSS,
    },
  ],
});
const DONE = incident('2222aaaaaaaa', { state: 'resolved', resolvedMs: T0 - 3_000_000 });

/** The daemon's mark, as it was left half an hour before T0. */
function ended(directory: string): void {
  const then = (T0 - 1_800_000) / 1000;
  writeFileSync(
    join(directory, ALIVE),
    JSON.stringify({ schema: 'faultline/alive/1', state: 'ended', pid: 1, where: '' }),
  );
  utimesSync(join(directory, ALIVE), then, then);
}

test('on a full disk the daemon has what the log has not: it is listed, and why is said', async (t) => {
  const directory = await logOf(t, DONE);
  const runtime = temporaryFolder();
  const config = join(runtime, 'faultline.yaml');
  writeFileSync(config, `directories: {log: "${directory}", runtime: "${runtime}"}\n`);
  // The mark is touched without a byte of room.
  const mark = new AliveMark(directory);
  mark.start();
  t.after(() => mark.stop());
  await until(() => existsSync(join(directory, ALIVE)));
  const backend = new TestBackend();
  const status = {
    pid: 812,
    incident_log: join(directory, 'incidents.jsonl'),
    log: { trouble: 'FL3101 ENOSPC' as string | null },
  };
  backend.status = () => status;
  backend.incidents = () => [{ ...OPEN, log: 'unavailable' }, DONE];
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const { stdout, stderr, status: exit } = await runAt(Date.now(), 'incidents', '--open', '--config', config);
  assert.match(stdout, /^1111aa/m);
  assert.deepEqual([stdout.trim().split('\n').length, exit], [1, 0]);
  assert.match(stderr, /^the daemon cannot write this log \(FL3101 ENOSPC\): one incident is listed as it has them/);
  status.log.trouble = null;
  assert.match((await run('incidents', '--open', '--config', config)).stderr, /no incidents in/);
});

test('a daemon that runs and cannot write the log is not said to be away', async (t) => {
  const directory = await logOf(t, OPEN, DONE);
  ended(directory);
  const runtime = temporaryFolder();
  const config = join(runtime, 'faultline.yaml');
  writeFileSync(config, `directories: {log: "${directory}", runtime: "${runtime}"}\n`);
  const backend = new TestBackend();
  const status = { pid: 812, incident_log: join(directory, 'incidents.jsonl'), log: { trouble: 'FL3101 EROFS' } };
  backend.status = () => status;
  const api = await startApi(backend, runtime);
  t.after(() => api.close());
  const said = 'the daemon (pid 812) runs, and has not written this log since 2026-11-27 14:02:00: FL3101 EROFS. ';
  assert.ok((await run('incidents', '--config', config)).stderr.startsWith(said));
  const { stdout } = await run('explain', '1111', '--config', config);
  assert.ok(stdout.replace(/\s+/g, ' ').includes('the daemon (pid 812) runs, and has not written this log'), stdout);
  status.incident_log = '/var/log/other/incidents.jsonl';
  assert.match((await run('incidents', '--config', config)).stderr, /^no daemon writes this log since /);
});

test('open incidents carry the time up to which they are known, and GPU-hours stop there', async (t) => {
  const directory = await logOf(t, OPEN, DONE);
  ended(directory);
  const list = await run('incidents', '--log-directory', directory);
  const [open = '', done = ''] = list.stdout.split('\n');
  assert.match(open, /^1111aa .* {2}\[as of 2026-11-27 14:02:00\]$/);
  assert.match(done, /^2222aa .* resolved /);
  assert.ok(!done.includes('as of'));
  const [silent = '', next = ''] = list.stderr.split('\n');
  assert.equal(
    silent,
    'no daemon writes this log since 2026-11-27 14:02:00. Start it: systemctl start faultline, or faultline run',
  );
  assert.match(next, /^What to do about 1111aa: /);
  assert.equal(list.status, 0);
  const json = await run('incidents', '--json', '--open', '--log-directory', directory);
  const document = JSON.parse(json.stdout);
  assert.equal(document.as_of, '2026-11-27T14:02:00.000Z');
  assert.equal(document.impact[0].gpu_hours, 4, '8 GPUs for half an hour, though the hour is over');
  const report = await run('explain', '1111', '--log-directory', directory);
  assert.match(report.stdout, /open, 30 min\n/);
  assert.match(report.stdout, /^As of {7}2026-11-27 14:02:00: no daemon writes this log since/m);
  assert.match(report.stdout, /4 GPU-hours so far/);
});

test('an empty list of a daemon that ended says up to when it speaks', async (t) => {
  const directory = await logOf(t);
  ended(directory);
  const { stderr, status } = await run('incidents', '--log-directory', directory);
  assert.match(stderr, /^no daemon writes this log since 2026-11-27 14:02:00\. .*\nno incidents in /);
  assert.equal(status, 0);
});

test('--follow says that no daemon writes, and that a daemon writes again', async (t) => {
  const directory = await logOf(t, OPEN);
  ended(directory);
  const { ran, stop, done } = start(['incidents', '--follow', '--log-directory', directory]);
  await until(() => ran.stderr.includes('no daemon writes this log since'));
  const mark = new AliveMark(directory);
  mark.start();
  await until(() => ran.stderr.endsWith('a daemon writes this log again\n'));
  await mark.stop();
  assert.ok(existsSync(join(directory, ALIVE)) && readFileSync(join(directory, ALIVE), 'utf8').includes('"ended"'));
  await until(() => ran.stderr.split('no daemon writes this log since').length === 3);
  stop.abort();
  await done;
  assert.equal(ran.status, 0);
});
