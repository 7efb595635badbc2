// Host lists, output patterns, lists of tasks, the node, and the files of a prologue.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostsOf } from '../../../../src/helpers/host-list.ts';
import type { SlurmJob } from '../../../../src/sources/slurm/read/job.ts';
import { jobFileOf, mappedJobs } from '../../../../src/sources/slurm/read/job-files.ts';
import { jobsFromJson } from '../../../../src/sources/slurm/read/job-json.ts';
import { jobsFromText } from '../../../../src/sources/slurm/read/job-text.ts';
import { tasksFromJson, tasksFromText } from '../../../../src/sources/slurm/read/listed-tasks.ts';
import { isDrained, nodeFromJson, nodeFromText } from '../../../../src/sources/slurm/read/node.ts';
import { expandOutput, outputPaths, stepOutputPaths } from '../../../../src/sources/slurm/read/output-path.ts';
import { srunOutput } from '../../../../src/sources/slurm/read/srun-options.ts';
import { documentWith, TEXT } from './generations.ts';

describe('host lists', () => {
  test('ranges keep their zeros, several brackets multiply, commas in brackets split nothing', () => {
    assert.deepEqual(hostsOf('n1,gpu[01-03,7],r[1-2]n[1-2]'), ['n1', 'gpu01', 'gpu02', 'gpu03', 'gpu7', 'r1n1', 'r1n2', 'r2n1', 'r2n2']); // biome-ignore format: one line
    assert.deepEqual(hostsOf('gpu[08-10]'), ['gpu08', 'gpu09', 'gpu10']);
  });
  test('what is none, or names more than there can be, is empty', () => {
    for (const text of ['', 'a[', 'a[3-1]', 'a[1-999999999]', 'a[x]', 'a b']) assert.deepEqual(hostsOf(text), [], text);
  });
});

function job(more: object = {}): SlurmJob {
  const base = { job_id: 993, array_job_id: 991, array_task_id: 3, name: 'train', user_name: 'ada', nodes: 'gpu[01-02]', restart_cnt: 1, batch_flag: true, current_working_directory: '/home/ada' }; // biome-ignore format: one line
  const found = jobsFromJson(documentWith({ ...base, ...more }))?.[0];
  assert.ok(found !== undefined);
  return found;
}

describe('output patterns', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['%x-%j.out', 'train-993.out'],
    ['%A_%a.out', '991_3.out'],
    ['%5a-%08j', '00003-00000993'],
    ['%u@%N.%n.%t', 'ada@gpu01.0.0'],
    ['100%%-%b', '100%-3'],
    ['plain.out', 'plain.out'],
    ['%q', '%q'],
    ['a\\%j', 'a%j'],
    ['%J.%s', '993.batch'],
    ['%r-%S', '1-%S'],
  ];
  for (const [pattern, name] of cases)
    test(`${pattern} is ${name ?? 'not known'}`, () => assert.equal(expandOutput(pattern, job()), name));

  test('a batch job without one writes where sbatch does by itself; an interactive one writes to no file', () => {
    assert.deepEqual(outputPaths(job()), ['/home/ada/slurm-991_3.out']);
    assert.deepEqual(outputPaths(job({ array_job_id: 0, array_task_id: null })), ['/home/ada/slurm-993.out']);
    assert.deepEqual(outputPaths(job({ batch_flag: false })), []);
  });
  test('the text form of older releases replaces some of them, before them the folder, and the rest is left to us', () => {
    const [found] = jobsFromText(TEXT.replace('StdOut=/scratch/ada/train-991_3.out', 'StdOut=/home/ada/run/x-991.%N-%4j-%s').replace('StdErr=/scratch/ada/train-991_3.out', 'StdErr=/home/ada/run/e')); // biome-ignore format: one line
    assert.deepEqual(found === undefined ? null : outputPaths(found), ['/home/ada/run/x-991.gpu01-0993-batch', '/home/ada/run/e']); // biome-ignore format: one line
  });
  test('/dev/null is not a log, errors may have a file of their own, a job without a number has no %a', () => {
    assert.deepEqual(outputPaths(job({ standard_output: '/dev/null', standard_error: 'err-%j' })), [
      '/home/ada/err-993',
    ]);
    const alone = { array_job_id: 0, array_task_id: null, standard_output: '%A_%a.out' };
    assert.deepEqual(outputPaths(job(alone)), ['/home/ada/993_4294967294.out']);
  });
});

describe('output of a step', () => {
  const task = (rank: number, step = '0') => ({ pid: 1, job: 993, step, localRank: 0, rank });
  const paths = (output: string, ranks = [8, 9], more: object = {}, folder: string | null = null) =>
    stepOutputPaths(job(more), ['gpu02'], ranks.map((rank) => task(rank)), [{ output, errors: null, folder }]); // biome-ignore format: one line
  test('a file for each task, node or step, by the names that srun gives them', () => {
    assert.deepEqual(paths('rank-%2t.%s.log'), ['/home/ada/rank-08.0.log', '/home/ada/rank-09.0.log']);
    assert.deepEqual(paths('/s/%x-%J-%A_%a@%N-%u.%r'), ['/s/train-993.0-991_3@gpu02-ada.1']);
    assert.deepEqual(paths('%n'), [], 'the step may have fewer nodes than the job');
    assert.deepEqual(paths('%n', [0], { nodes: 'gpu02' }), ['/home/ada/0']);
    assert.deepEqual(paths('o.%t', [0], {}, 'run'), ['/home/ada/run/o.0']);
    assert.deepEqual(paths('o.%t', [0], {}, '/run'), ['/run/o.0']);
  });
  test('a node with another name of its own has files of both, as releases differ', () => {
    const of = (output: string) => stepOutputPaths(job(), ['gpu02', 'dgx2'], [task(8)], [{ output, errors: null, folder: null }]); // biome-ignore format: one line
    assert.deepEqual([of('%N.%t'), of('%t')], [['/home/ada/gpu02.8', '/home/ada/dgx2.8'], ['/home/ada/8']]);
    const batch = job({ batch_host: 'gpu01', standard_output: 'o.%N' });
    assert.deepEqual(outputPaths(batch, ['gpu01', 'dgx1']), ['/home/ada/o.gpu01', '/home/ada/o.dgx1']);
    assert.deepEqual(outputPaths(batch, ['gpu02', 'dgx2']), ['/home/ada/o.gpu01']);
  });
  test('of two steps each has a file; of many tasks no more than can be followed', () => {
    const both = stepOutputPaths(job(), ['gpu02'], [task(0, '0'), task(0, '1')], [{ output: '%J', errors: 'e', folder: null }]); // biome-ignore format: one line
    assert.deepEqual(both, ['/home/ada/993.0', '/home/ada/993.1', '/home/ada/e']);
    assert.equal(
      paths(
        '%t',
        Array.from({ length: 900 }, (_, i) => i),
      ).length,
      64,
    );
  });
});

describe('the command line of srun', () => {
  const outputOf = (line: string) => srunOutput(line.split(' '))?.output;
  test('its output is found among its options, and not among those of the program', () => {
    for (const line of [
      'srun -o a.%t python train.py -o no',
      '/usr/bin/srun -n2 --gpus-per-task=1 --output=a.%t -- python -o no',
      'srun --ntasks 2 --exclusive --kill-on-bad-exit=1 --output a.%t train',
      'srun -lK1 -oa.%t train',
      'srun -K -l -N 2 -o a.%t train',
    ])
      assert.equal(outputOf(line), 'a.%t', line);
    for (const line of [
      'srun python train.py -o no',
      'srun -n 2 train --output=no',
      'srun -o none train',
      'srun -o 3 train',
      'srun --output=all train',
    ])
      assert.equal(outputOf(line), null, line);
    assert.equal(srunOutput(['python', 'srun', '-o', 'a']), null);
    assert.deepEqual(srunOutput('srun -D /run -e e.%t x'.split(' ')), { output: null, errors: 'e.%t', folder: '/run' });
  });
});

describe('scontrol listpids', () => {
  const text = `PID      JOBID    STEPID   LOCALID GLOBALID
31867    3        0        0       4       
31868    3        0        1       5       
31851    3        batch    0       0       
31855    3        batch    -       -       
40000    3        extern   -       -
50001    12_4     1+1      0       0
`;
  test('a numbered step has ranks; a batch script is not a rank, though Slurm calls it task 0', () => {
    assert.deepEqual(
      tasksFromText(text).map(({ pid, job: of, step, localRank, rank }) => [pid, of, step, localRank, rank]),
      [
        [31867, 3, '0', 0, 4],
        [31868, 3, '0', 1, 5],
        [31851, 3, 'batch', null, null],
        [31855, 3, 'batch', null, null],
        [40000, 3, 'extern', null, null],
        [50001, 12, '1+1', 0, 0],
      ],
    );
  });
  test('JSON from 24.11 on says the same, whatever its numbers are', () => {
    const rows = [
      { pid: 31867, job_id: 3, step_id: '0', local_task_id: 0, global_task_id: 4 },
      {
        pid: 31851,
        job_id: { set: true, infinite: false, number: 3 },
        step_id: 'batch',
        local_task_id: 0,
        global_task_id: 0,
      },
      { pid: 31855, job_id: 3, step_id: 0, local_task_id: { set: false }, global_task_id: { set: false } },
    ];
    assert.deepEqual(
      tasksFromJson(JSON.stringify({ pids: rows, meta: {}, errors: [] }))?.map((task) => [
        task.pid,
        task.step,
        task.rank,
      ]),
      [
        [31867, '0', 4],
        [31851, 'batch', null],
        [31855, '0', null],
      ],
    );
    assert.deepEqual(tasksFromJson('{"pids": [], "errors": []}'), []);
    assert.equal(tasksFromJson('No job steps'), null);
  });
});

describe('the node', () => {
  test('JSON of older and newer generations, and text, tell that it is drained, why and by whom', () => {
    const said = { reason: 'Kill task failed', reasonBy: 'root', reasonMs: 1_795_000_000_000 };
    const common = { name: 'n1', reason: said.reason, reason_set_by_user: 'root' };
    const old = { ...common, state: 'idle', state_flags: ['DRAIN'], reason_changed_at: 1_795_000_000 };
    const now = {
      ...common,
      state: ['IDLE', 'DRAIN'],
      reason_changed_at: { set: true, infinite: false, number: 1_795_000_000 },
    };
    const text =
      'NodeName=n1 Arch=x86_64\n   State=IDLE+DRAIN* ThreadsPerCore=1\n   Reason=Kill task failed [root@2026-11-18T11:06:40]\n';
    for (const node of [
      nodeFromJson(JSON.stringify({ nodes: [old] }), 'n1'),
      nodeFromJson(JSON.stringify({ nodes: [now] }), 'n1'),
      nodeFromText(text, 'n1'),
    ]) {
      assert.ok(node !== null && isDrained(node));
      assert.deepEqual({ reason: node.reason, reasonBy: node.reasonBy, reasonMs: node.reasonMs }, said);
    }
  });
  test('its GPUs are counted where Slurm gives them to jobs, in text and JSON', () => {
    for (const [gres, has] of [
      ['gpu:h100:8(S:0-1)', true],
      ['craynetwork:1,gpu:4', true],
      ['gpu:1,shard:4', true],
      ['(null)', false],
      ['nic:2', false],
    ] as const) {
      // biome-ignore format: one line
      assert.equal(nodeFromText(`NodeName=n1\n   Gres=${gres}\n   State=IDLE\n`, 'n1')?.hasGpus, has, gres);
      assert.equal(nodeFromJson(JSON.stringify({ nodes: [{ name: 'n1', gres }] }), 'n1')?.hasGpus, has, gres);
    }
  });
  test('a reason may hold what looks like a key; without one there is none; another node is not this one', () => {
    const text = 'NodeName=n1\n   State=DOWN+DRAIN ThreadsPerCore=1\n   Reason=gpu 3: x=y [op@2026-11-18T11:06:40]\n';
    assert.equal(nodeFromText(text, 'n1')?.reason, 'gpu 3: x=y');
    const idle = nodeFromText('NodeName=n1\n   State=IDLE\n', 'n1');
    assert.ok(idle !== null && !isDrained(idle) && idle.reason === null);
    assert.equal(nodeFromText(text, 'n2'), null);
  });
});

describe('files of a prologue', () => {
  test('lines of variables, and any other text', () => {
    const file = jobFileOf(
      'BOOT_ID=b\nSLURM_JOB_ID=991\nSLURM_JOB_UID=1001\nSLURM_JOB_USER=ada\nSLURM_JOB_GPUS=4,5\nnonsense\nSLURM_JOB_NAME=x\nSLURM_JOB_USER=root\n',
    );
    assert.deepEqual([file?.number, file?.user, file?.uid, file?.gpus, file?.name], [991, 'ada', 1001, [4, 5], 'x']);
    assert.equal(jobFileOf('hello'), null);
  });
  test('the convention of exporters has one job id a line', () =>
    assert.deepEqual(mappedJobs('991\n 992 \nx\n\n'), [991, 992]));
});
