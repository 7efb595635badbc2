// faultline jobs: what the daemon knows as lines and as documents, what is lacking, and a host where nothing is found.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../../src/api/api-server.ts';
import { devicesText } from '../../../src/commands/jobs/devices-text.ts';
import { jobsText } from '../../../src/commands/jobs/jobs-text.ts';
import type { DevicesDocument, JobDocument, JobsDocument } from '../../../src/model/documents/jobs.ts';
import { TestBackend } from '../../api/helpers.ts';
import { run as command } from '../incident-command.ts';
import { configFile, folder } from '../run-cli.ts';

const T0 = Date.UTC(2026, 10, 28, 14, 0, 0);
const LAYOUT = { width: 100, timeZone: 'UTC', nowMs: T0 };
const HEAD = { host: 'node-3', time: '2026-11-28T14:00:00.000Z', conflicts: [], lacking: [] };
const POD = { namespace: 'ml', name: 'llama-0', uid: 'u-1', container: 'trainer' };
const LLAMA: JobDocument = {
  id: 'llama',
  aliases: ['991'],
  manager: 'slurm',
  name: 'llama-70b',
  user: 'alice',
  account: 'nlp',
  queue: 'gpu',
  attempt: 1,
  started_at: '2026-11-28T12:00:00.000Z',
  scheduler_step: '0',
  training_step: { iteration: 1200, step_time_ms: 412.3, time: '2026-11-28T13:59:58.000Z' },
  world_size: 16,
  ranks: [0, 1].map((rank) => ({ rank, local_rank: rank, pid: 400 + rank, gpus: [`0000:${rank}b:00.0`], nics: [], pod: null, role: null, known_by: 'RANK' })), // biome-ignore format: one line
  devices: ['gpu/0000:0b:00.0', 'gpu/0000:1b:00.0'],
  pods: [POD],
  framework: { name: 'megatron', known_by: 'its modules' },
  logs: [{ path: '/scratch/llama.out', known_by: 'scontrol' }],
  run_folders: [{ tool: 'wandb', path: '/scratch/wb', known_by: 'WANDB_DIR' }],
  known_by: ['environment of its processes', 'scontrol listpids'],
};
const DEVICES: DevicesDocument = {
  schema: 'faultline/devices/1',
  ...HEAD,
  devices: [
    { device: 'gpu/0000:0b:00.0', aliases: ['GPU-0', 'gpu 0'], uses: [{ job: 'llama', manager: 'slurm', name: 'llama-70b', user: 'alice', ranks: [0], pod: POD, share: 0.5, known_by: "driver's list of processes" }, { job: null, manager: null, name: null, user: null, ranks: [], pod: null, share: 0.5, known_by: "driver's list of processes" }] }, // biome-ignore format: one line
    { device: 'gpu/0000:1b:00.0', aliases: [], uses: [] },
  ],
};

function jobsOf(given: Partial<JobsDocument> = {}): JobsDocument {
  return { schema: 'faultline/jobs/1', ...HEAD, jobs: [LLAMA], ...given };
}

test('a job reads as a person asks for it: who, what, where, since when, and how that is known', () => {
  assert.deepEqual(jobsText(jobsOf(), LAYOUT), [
    'llama-70b (slurm 991, llama) of alice, account nlp, queue gpu, restart 1, since 2026-11-28 12:00:00',
    '(2 h)',
    '  ranks     0, 1 of 16 (RANK); pids 400, 401; 0 on 0000:0b:00.0, 1 on 0000:1b:00.0',
    '  devices   gpu/0000:0b:00.0, gpu/0000:1b:00.0',
    '  pods      ml/llama-0 (trainer)',
    '  step      1200 (412 ms), 2 s ago; step 0 of the scheduler',
    '  framework megatron (its modules)',
    '  log       /scratch/llama.out (scontrol)',
    '  runs      wandb /scratch/wb (WANDB_DIR)',
    '  known by  environment of its processes, scontrol listpids',
  ]);
});

test('what is not known of a job takes no line', () => {
  const bare: JobDocument = { ...LLAMA, id: 'pid-77', name: null, aliases: [], manager: 'process', user: null, account: null, queue: null, attempt: null, started_at: null, scheduler_step: null, training_step: null, ranks: [], devices: [], pods: [], framework: null, logs: [], run_folders: [] }; // biome-ignore format: one line
  assert.deepEqual(jobsText(jobsOf({ jobs: [bare] }), LAYOUT), [
    'pid-77, user unknown',
    '  known by  environment of its processes, scontrol listpids',
  ]);
});

test('each device names who has it, all that share it, and that it is idle', () => {
  assert.deepEqual(devicesText(DEVICES, LAYOUT), [
    'gpu/0000:0b:00.0 (gpu 0)  llama-70b (slurm llama) of alice, rank 0, pod ml/llama-0 (trainer), shared',
    "                          by 2, driver's list of processes",
    "                          no known job, shared by 2, driver's list of processes",
    'gpu/0000:1b:00.0          idle',
  ]);
});

test('names that users gave cannot end a line or steer a terminal', () => {
  const hostile = { ...LLAMA, name: 'x\n\u001b[2J', user: '\u202e', logs: [{ path: '/tmp/\u0007', known_by: 'fd 1' }] };
  const text = jobsText(jobsOf({ jobs: [hostile] }), LAYOUT).join('\n');
  for (const unsafe of ['\u0007', '\u001b', '\u202e']) assert.ok(!text.includes(unsafe), JSON.stringify(text));
});

test('the command shows what the daemon knows, what contradicts itself and what is lacking', async (t) => {
  const root = folder();
  const backend = new TestBackend();
  const lacking = [{ source: 'kubernetes', status: 'no_permission', detail: 'the socket may not be opened', remedy: 'run as root' }]; // biome-ignore format: one line
  const conflicts = [{ about: 'rank of process 4711', reason: 'RANK is 3, SLURM_PROCID is 4' }];
  const jobs = t.mock.method(backend, 'jobs', () => jobsOf({ conflicts, lacking }));
  t.mock.method(backend, 'devices', () => DEVICES);
  const api = await startApi(backend, join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const run = (...words: string[]) => command('jobs', ...words, '--config', config);
  const shown = await run();
  assert.deepEqual([shown.status, shown.stdout.includes('of alice'), shown.stdout.includes('conflict  rank of process 4711: RANK is 3')], [0, true, true]); // biome-ignore format: one line
  assert.match(shown.stderr, /more may be here than was found:\n {2}kubernetes {4}no permission: the socket may not be opened. To\s+change it: run as root\nfaultline doctor/); // biome-ignore format: one line
  assert.deepEqual(JSON.parse((await run('--json')).stdout), jobsOf({ conflicts, lacking }));
  assert.match((await run('--devices')).stdout, /gpu\/0000:1b:00\.0 +idle/);
  assert.equal(JSON.parse((await run('--devices', '--json')).stdout).schema, 'faultline/devices/1');
  jobs.mock.mockImplementation(() => jobsOf({ jobs: [], lacking }));
  const none = await run();
  assert.deepEqual([none.status, none.stdout], [0, '']);
  assert.match(none.stderr, /^no job was found on this host:/);
  jobs.mock.mockImplementation(() => jobsOf({ jobs: [] }));
  assert.match((await run()).stderr, /^no job was found on this host; every source that knows of jobs works/);
});

test('without a daemon it is one look, and says so', async () => {
  const root = folder();
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const { status, stdout, stderr } = await command('jobs', '--json', '--config', config);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^no daemon runs here: one look with the rights of this user/);
  assert.equal(JSON.parse(stdout).schema, 'faultline/jobs/1');
});
