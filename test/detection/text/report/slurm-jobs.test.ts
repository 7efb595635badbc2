// What sacct prints of jobs that are over: each by itself, however the table was asked for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

test('sacct: the state that its column cut, of the job and not of each of its steps', () => {
  const { faults, findings } = readReport(
    [
      'JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ',
      '------------ ---------- ---------- ---------- ---------- ---------- -------- ',
      '4411              train        gpu       proj         64 OUT_OF_ME+    0:125 ',
      '4411.batch        batch                  proj         64 OUT_OF_ME+    0:125 ',
      '4411.0           python                  proj         64 OUT_OF_ME+    0:125 ',
      '4412              train        gpu       proj         64  COMPLETED      0:0 ',
      '4413_7            train        gpu       proj         64  NODE_FAIL      1:0 ',
      '4414              train        gpu       proj         64    RUNNING      0:0 ',
      '4415              train        gpu       proj         64 CANCELLED+      0:0 ',
    ].join('\n'),
  );
  assert.deepEqual(faults, [
    ['host.oom', 'job/4411'],
    ['job.node_failed', 'job/4413_7'],
    ['job.cancelled', 'job/4415'],
  ]);
  assert.deepEqual(findings[1]?.attributes, { state: 'NODE_FAIL', reason: 'node failure', told_by: 'scheduler', exit: '1:0' }); // biome-ignore format: one line
});

test('sacct -P: columns in any order between bars, with nodes and the time of the end', () => {
  const { findings } = readReport(
    [
      'JobID|State|NodeList|End|ExitCode',
      '4411|FAILED|gx-[1-4]|2026-11-28T12:00:00|1:0',
      '4411.batch|FAILED|gx-1|2026-11-28T12:00:00|1:0',
      '4412|PREEMPTED|None assigned|Unknown|0:0',
      '4413|TIMEOUT|gx-7|2026-11-28T13:00:00|0:15',
      '4414|CANCELLED by 1000|gx-7|2026-11-28T13:00:00|0:0',
    ].join('\n'),
  );
  assert.deepEqual(findings.map(({ kind, component }) => [kind, component?.id]), [
    ['job.failed', '4411'],
    ['job.preempted', '4412'],
    ['job.cancelled', '4413'],
    ['job.cancelled', '4414'],
  ]); // biome-ignore format: one call
  assert.equal(findings[0]?.attributes.nodes, 'gx-[1-4]');
  assert.equal(findings[0]?.timeMs, Date.UTC(2026, 10, 28, 12));
  assert.equal(findings[1]?.attributes.nodes, undefined);
});

test('rows without a head, and other tables, are none of its', () => {
  assert.deepEqual(readReport('4411   train   gpu   proj   64 OUT_OF_ME+    0:125 ').findings, []);
  assert.deepEqual(readReport('4411|train|FAILED|1:0|node-7').findings, []);
});

test('squeue: jobs that are over by their state, short or whole, under the columns that were asked for', () => {
  const kindsOf = (...rows: string[]) =>
    readReport(rows.join('\n')).findings.map(({ kind, component }) => `${kind} ${component?.type}/${component?.id}`);
  assert.deepEqual(
    kindsOf(
      '             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)',
      '              4411       gpu    train      kim  F       0:00      1 gx-9',
      '              4412       gpu    train      kim  R       0:40      1 gx-8',
      '              4413       gpu    train      kim NF       3:00      1 gx-7',
      '              4414       gpu    train      kim PD       0:00      4 (Resources)',
      '         4415_[1-8]      gpu    train      kim PD       0:00      4 (Priority)',
    ),
    ['job.failed job/4411', 'host.down host/gx-7', 'job.node_failed job/4413'],
  );
  assert.deepEqual(
    kindsOf('JOBID STATE NODELIST', '4420 OUT_OF_MEMORY gx-4', '4421 COMPLETING gx-5', '4422 NODE_FAIL gx-[1-2]'),
    ['host.oom job/4420', 'job.node_failed job/4422'],
  );
});

test('sacct with other columns before the job', () => {
  const rows = [
    '   Elapsed JobID             State        NodeList ExitCode ',
    '---------- ------------ ---------- --------------- -------- ',
    '  01:11:02 4430          NODE_FAIL           gx-21      0:0 ',
    '  02:11:02 4431          COMPLETED           gx-22      0:0 ',
  ];
  assert.deepEqual(
    readReport(rows.join('\n')).findings.map(({ kind }) => kind),
    ['host.down', 'job.node_failed'],
  );
});

test('the node of a job of one node is the one that failed, and where memory ran out; of several it is unclear which', () => {
  const { findings } = readReport(
    [
      'JobID|State|ExitCode|NodeList|End',
      '1|NODE_FAIL|0:0|gx-40|2026-11-29T02:10:00',
      '2|NODE_FAIL|0:0|gx-[40-41]|2026-11-29T02:10:00',
      '3|OUT_OF_MEMORY|0:125|gx-38|2026-11-29T02:00:00',
      '4|NODE_FAIL|0:0|None assigned|2026-11-29T02:10:00',
    ].join('\n'),
  );
  assert.deepEqual(
    findings.map(({ kind, component, attributes: { job, named_host, possible_hosts } }) => [
      `${kind} ${component?.type}/${component?.id}`,
      job ?? named_host ?? possible_hosts,
    ]),
    [
      ['host.down host/gx-40', '1'],
      ['job.node_failed job/1', 'gx-40'],
      ['job.node_failed job/2', 'gx-40, gx-41'],
      ['host.oom job/3', 'gx-38'],
      ['job.node_failed job/4', undefined],
    ],
  );
});

test('sacct: rows that do not stand below their rules are read by their state', () => {
  const { faults, findings } = readReport(
    [
      'JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ',
      '------------ ---------- ---------- ---------- ---------- ---------- -------- ',
      '48701            llama        gpu       proj        224 NODE_FAIL      0:0 ',
      '48702            tune         gpu       proj         28 OUT_OF_MEMORY  0:125 ',
      '48702.batch      batch                  proj         28 OUT_OF_MEMORY  0:125 ',
      '48703            eval         gpu       proj         28  COMPLETED      0:0 ',
      '48704 train gpu proj 224 FAILED 1:0',
    ].join('\n'),
  );
  assert.deepEqual(faults, [
    ['job.node_failed', 'job/48701'],
    ['host.oom', 'job/48702'],
    ['job.failed', 'job/48704'],
  ]);
  assert.deepEqual(findings[2]?.attributes, { state: 'FAILED', reason: 'failed', told_by: 'scheduler', exit: '1:0' });
});

test('sacct: a step of a job that still runs says once what became of it, also where the number was taken out', () => {
  const table = (job: string, state: string) =>
    [
      'JobID           JobName  Partition    Account  AllocCPUS      State ExitCode',
      '------------ ---------- ---------- ---------- ---------- ---------- --------',
      `${job.padEnd(12)}      train        gpu       proj          4 ${state.padStart(10)}      0:0`,
      `${`${job}.bat+`.padEnd(12)}      batch                  proj          4 ${state.padStart(10)}      0:0`,
      ...[0, 1, 2].map((step) => `${`${job}.${step}`.padEnd(12)}     python                  proj          1 OUT_OF_ME+    0:125`),
    ].join('\n'); // biome-ignore format: one table
  assert.deepEqual(readReport(table('7120', 'RUNNING')).faults, [['host.oom', 'job/7120']]);
  assert.deepEqual(readReport(table('<JOB>', 'RUNNING')).faults, [['host.oom', 'job/<JOB>']]);
  assert.deepEqual(readReport(table('7120', 'COMPLETED')).faults, []);
});

test('squeue: a job that waits as it could not begin; one that waits for its turn is none', () => {
  const queue = (why: string) =>
    readReport(
      `             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n              7121       gpu    train       ada PD       0:00      4 (${why})`,
    ).faults;
  assert.deepEqual(queue('launch failed requeued held'), [['job.failed', 'job/7121']]);
  for (const quiet of ['Resources', 'Priority', 'ReqNodeNotAvail', 'JobHeldUser'])
    assert.deepEqual(queue(quiet), [], quiet);
  // No fault: a line at the end of the report.
  assert.deepEqual(queue('ReqNodeNotAvail, UnavailableNodes:gx-12'), [['host.drained', 'host/gx-12']]);
});
