// Whose lines they are: a job that is known by any of its names, or one of which there is nothing but its sender's word.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../../../src/identity/work/work.ts';
import type { EventInput, TextRecord } from '../../../src/model/record.ts';
import { type Sender, UNKNOWN_SENDER } from '../../../src/sources/sender.ts';
import type { ProgramWork } from '../../../src/sources/text-in/receiver-settings.ts';
import { recordLine } from '../../../src/sources/text-in/record-line.ts';
import { takeRecord } from '../../../src/sources/text-in/take-record.ts';
import { intakeFor } from './intake-for.ts';

const WORK = {
  id: 'llama',
  aliases: ['1234'],
  pods: [{ uid: 'u-1', name: 'llama-0', namespace: 'ml' }],
  ranks: [],
  user: '1001',
} as unknown as Work; // the fields that are looked at

function taken(
  record: Readonly<Record<string, unknown>>,
  work: readonly ProgramWork[] = [],
  sender?: Sender,
  shippers: readonly string[] = [],
) {
  const lines: TextRecord[] = [];
  const view = () => ({ version: 1, works: [WORK], devices: [], conflicts: [] });
  const line = recordLine({ log: 'hello', ...record });
  assert.ok(line !== null);
  const emit = { samples() {}, text: (each: TextRecord) => void lines.push(each), event(_: EventInput) {}, discovery() {} }; // biome-ignore format: one line
  takeRecord(line, {
    intake: intakeFor('logs-in'),
    emit,
    way: 'fluent',
    view,
    work,
    position: 0,
    ...(sender === undefined ? {} : { passed: { sender, shippers } }),
  });
  const { job = null, service = null, claimed = false } = lines[0]?.attributes ?? {};
  return [job, service, claimed];
}

test('who is known, by the name of the job, an alias or a pod, or by the configuration, is not only claimed', () => {
  const work = [{ program: 'train-*', job: 'gpt', service: null }, { program: 'vllm', job: null, service: 'api' }]; // biome-ignore format: one line
  assert.deepEqual(taken({ job: 'llama' }), ['llama', null, false]);
  assert.deepEqual(taken({ slurm_job_id: '1234' }), ['llama', null, false]);
  assert.deepEqual(taken({ kubernetes: { pod_id: 'u-1', pod_name: 'llama-0' } }), ['llama', null, false]);
  assert.deepEqual(taken({ ident: 'train-7' }, work), ['gpt', null, false]);
  assert.deepEqual(taken({ ident: 'vllm' }, work), [null, 'api', false]);
});

test('a job or service that nothing but the sender names is claimed', () => {
  assert.deepEqual(taken({ job: 'invented-7' }), ['invented-7', null, true]);
  assert.deepEqual(taken({ service: 'invented-8' }), [null, 'invented-8', true]);
});

test('whoever is not its user speaks for no job that runs here: what is said is of another job, named after both', () => {
  const by = (uid: number): Sender => ({ name: `uid-${uid}`, uid });
  for (const said of [{ job: 'llama' }, { slurm_job_id: '1234' }, { kubernetes: { pod_id: 'u-1' } }]) {
    assert.deepEqual(taken(said, [], by(1002)), ['llama@uid-1002', null, true]);
    assert.deepEqual(taken(said, [], UNKNOWN_SENDER), ['llama@unknown', null, true]);
    assert.deepEqual(taken(said, [], by(1001)), ['llama', null, false], 'its user');
    assert.deepEqual(taken(said, [], by(0)), ['llama', null, false], 'root ships the logs of all');
  }
  assert.deepEqual(taken({ job: 'invented-7' }, [], by(1002)), ['invented-7', null, true]);
  assert.deepEqual(
    taken({ job: 'llama' }, [], by(1002), ['1002']),
    ['llama', null, false],
    'a shipper of the configuration',
  );
  const collector: Sender = { name: '10.0.0.9', uid: null };
  assert.deepEqual(taken({ job: 'llama' }, [], collector, ['10.0.0.9'])[0], 'llama');
  assert.deepEqual(taken({ job: 'llama' }, [], collector, ['10.0.0.8'])[0], 'llama@10.0.0.9');
  const work = [{ program: 'train-*', job: 'llama', service: null }];
  assert.deepEqual(
    taken({ ident: 'train-7' }, work, by(1002)),
    ['llama@uid-1002', null, true],
    'also by a program’s name',
  );
  assert.deepEqual(taken({ ident: 'train-7' }, work, by(1001)), ['llama', null, false]);
});
