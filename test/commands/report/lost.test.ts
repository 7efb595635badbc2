// faultline report --lost over a simulated week: what each job had and lost is what was made so, and what Slurm accounts for.

import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALIVE } from '../../../src/incidents/log/alive.ts';
import type { JobLostDocument, LostDocument } from '../../../src/model/documents/lost.ts';
import { folder, openLog } from '../../incidents/log/folder.ts';
import { gpu, incident, T0 } from '../../incidents/sample.ts';
import { logOf, run, runAt } from '../incident-command.ts';
import { accountingOf, HOUR, MONDAY, makeWeek, playWeek, truthOf } from './week.ts';

const SUNDAY = MONDAY + 168 * HOUR;
const PERCENT = 0.02;

function near(value: number, wanted: number, within: number, what: string): void {
  assert.ok(Math.abs(value - wanted) <= within, `${what}: ${value}, and ${wanted} is true`);
}

for (const seed of [1, 2]) {
  test(`a week of seed ${seed} agrees with the accounting and with the truth, per job and in sum`, async (t) => {
    const directory = folder(t);
    const week = makeWeek(seed);
    const { log } = openLog(directory);
    await playWeek(week, log, directory);
    await log.close();
    const sacct = join(directory, 'sacct.txt');
    writeFileSync(sacct, accountingOf(week));
    const words = ['report', '--lost', '--since', '2026-11-16', '--sacct', sacct, '--log-directory', directory];
    const { stdout, stderr, status } = await runAt(SUNDAY, ...words, '--json');
    assert.equal(status, 0, stderr);
    const document: LostDocument = JSON.parse(stdout);
    const truth = truthOf(week);
    assert.ok(week.filter(({ state }) => state === 'PREEMPTED').length > 5 && week.some(({ attempt }) => attempt > 0));
    assert.ok([...truth.keys()].filter((id) => id.includes('_')).length > 10, 'tasks of arrays');
    assert.ok(truth.size > 60 && [...truth.values()].some(({ isInOutage }) => isInOutage));
    const found = new Map(document.jobs.map((job) => [job.job?.replace('job-', '') ?? '', job] as const));
    assert.deepEqual([...found.keys()].sort(), [...truth.keys()].sort(), 'each job once, and none of another node');
    const total = { accounted: 0, held: 0, lost: 0, undecided: 0 };
    for (const [id, wanted] of truth) {
      const job = found.get(id) as JobLostDocument;
      near(job.accounted_gpu_hours ?? 0, wanted.accounted, 0.01, `accounted of ${id}`);
      const { isInOutage, accounted } = wanted;
      // While the daemon does not run a job may end, or come and go: that is unseen, and said to be.
      const unseen = isInOutage ? (job.unseen_gpu_hours ?? 0) : 0;
      near(job.held_gpu_hours + unseen, accounted, PERCENT * accounted, `held of ${id}`);
      if (isInOutage) continue;
      near(job.lost_gpu_hours, wanted.lost, PERCENT * accounted, `lost of ${id}`);
      near(job.undecided_gpu_hours, wanted.undecided, PERCENT * accounted, `undecided of ${id}`);
      total.accounted += accounted;
      total.held += job.held_gpu_hours;
      total.lost += wanted.lost - job.lost_gpu_hours;
      total.undecided += wanted.undecided - job.undecided_gpu_hours;
    }
    near(total.held, total.accounted, PERCENT * total.accounted, 'held in sum');
    near(total.lost, 0, PERCENT * document.sum.lost_gpu_hours, 'lost in sum');
    near(total.undecided, 0, PERCENT * document.sum.undecided_gpu_hours, 'undecided in sum');
    near(document.sum.held_gpu_hours + (document.sum.unseen_gpu_hours ?? 0), document.sum.accounted_gpu_hours ?? 0, PERCENT * (document.sum.accounted_gpu_hours ?? 0), 'all of it'); // biome-ignore format: one line
    const byCause = document.causes.reduce((sum, { gpu_hours }) => sum + gpu_hours, 0);
    near(byCause, document.sum.lost_gpu_hours, 0.01, 'by cause');
    near(
      document.users.reduce((sum, user) => sum + user.lost_gpu_hours, 0),
      document.sum.lost_gpu_hours,
      0.01,
      'by user',
    );
    const text = (await runAt(SUNDAY, ...words)).stdout;
    assert.match(text, /^ {2}could not decide \d+\.\d+, and \d+\.\d+ that ran here unseen$/m);
  });
}

test('without an accounting it is what was seen, and says which jobs saved nothing', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await playWeek(makeWeek(3), log, directory);
  await log.close();
  const { stdout } = await runAt(SUNDAY, 'report', '--lost', '--since', '2026-11-16', '--log-directory', directory);
  assert.match(stdout, /^GPU-hours from 2026-11-16 00:00:00 to 2026-11-23 00:00:00, UTC$/m);
  assert.match(stdout, /^user +held +lost +undecided$/m);
  assert.match(stdout, /no checkpoint of them is known/);
  assert.match(stdout, /of it to be done again \([0-9a-f]{6}/);
});

test('a log without jobs, a file without accounting and a wrong time end as such', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.close();
  writeFileSync(join(directory, 'incidents.jsonl'), '');
  const words = ['report', '--lost', '--log-directory', directory];
  assert.equal(JSON.parse((await run(...words, '--json')).stdout).jobs.length, 0);
  const bad = join(directory, 'bad');
  writeFileSync(bad, 'hello');
  for (const [more, code, status] of [
    [['--sacct', bad], 'FL3130', 1],
    [['--sacct', join(directory, 'none')], 'FL3130', 1],
    [['--since', 'yesterday'], 'FL3123', 2],
  ] as const) {
    // biome-ignore format: one line
    const ran = await run(...words, ...more);
    assert.deepEqual([ran.status, ran.stderr.includes(code)], [status, true], ran.stderr);
  }
});

test('of a trial no hour is lost, and both reports say so; a demo that is over asks for no daemon', async (t) => {
  const lost = { root: { eventId: 'e', kind: 'gpu.lost', component: gpu(0) }, events: [], chain: [] } as const;
  const loss = { gpus: 1, share: 1, fromMs: T0 - HOUR, toMs: T0, rate: null };
  const impact = [{ component: gpu(0), quantity: 'lost', before: null, after: null, unit: '', text: 'is lost', loss }];
  const one = (id: string, more: object = {}) => incident(id, { ...lost, impact, ...more });
  const lostOf = async (...incidents: Parameters<typeof one>[]) => {
    const directory = await logOf(t, ...incidents.map((each) => one(...each)));
    writeFileSync(
      join(directory, ALIVE),
      JSON.stringify({ schema: 'faultline/alive/1', state: 'ended', pid: 1, where: '' }),
    );
    utimesSync(join(directory, ALIVE), T0 / 1000, T0 / 1000);
    const words = ['report', '--since', '2026-11-20', '--log-directory', directory];
    const { notes, sum } = JSON.parse((await run(...words, '--lost', '--json')).stdout);
    const page = (await run(...words, '--html', '-')).stdout;
    return { notes, lost: sum.lost_gpu_hours, page, ...(await run('incidents', '--log-directory', directory)) };
  };
  const note =
    'One incident of this time is simulated or injected: nothing real is behind it, and no hour of its is counted as lost.';
  const real = await lostOf(['aaaa00000001']);
  const demo = await lostOf(['bbbb00000001', { made: 'simulated' }]);
  assert.deepEqual([real.notes, demo.notes], [[], [note]]);
  assert.ok(real.lost > 0);
  assert.equal(demo.lost, 0);
  assert.ok(demo.page.includes(note) && demo.page.includes('the demo that wrote this log is over'));
  assert.doesNotMatch(demo.page + demo.stderr, /systemctl start/);
  assert.match(real.stderr, /systemctl start/);
  assert.equal((await lostOf(['aaaa00000001'], ['bbbb00000001', { made: 'injected' }])).lost, real.lost);
});
