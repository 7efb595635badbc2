// A recording replays whose work was hit: user, job, ranks and pods as the daemon had them then.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { Identity } from '../../src/identity/identity.ts';
import { processKey } from '../../src/identity/work/works.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { EventInput } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';
import { playRecording } from '../../src/sources/recording/player.ts';
import { Recorder } from '../../src/sources/recording/recorder.ts';
import { gpuFacts, gpuId, podFact, processFact, scheduledFact, slurm, uuid } from '../identity/work/facts.ts';

const START_MS = 1_764_000_000_000;

function pipelineOf(t: TestContext, now: () => number, more: { recorder?: Recorder; identity?: Identity } = {}) {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 64 });
  t.after(() => core.close());
  const events: FaultEvent[] = [];
  const options = { host: 'node-3', core, latenessMs: 1000, holdMs: 1000, links: [], onIncident: () => {}, now };
  return { events, pipeline: new Pipeline({ ...options, ...more, onEvent: (event) => events.push(event) }) };
}

const lost = (gpu: number, timeMs: number): EventInput => ({
  kind: 'gpu.lost',
  component: { type: 'gpu', id: gpuId(gpu) },
  timeMs,
  observedMs: timeMs,
  trust: 'driver',
  source: 'gpu',
});

test('the events of a recording name the jobs that they named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'replayed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = { ms: START_MS };
  const now = () => clock.ms;
  const path = join(folder, 'day.flrec');
  const header = { schema: 'faultline/recording/1', host: 'node-3', version: '0', started_ms: START_MS, lateness_ms: 1000, hold_ms: 1000, links: [] } as const; // biome-ignore format: one header
  const recorder = await Recorder.create(path, header, 1_000_000);
  const identity = new Identity('node-3', { now });
  const live = pipelineOf(t, now, { recorder, identity });
  for (const [n, gpu] of gpuFacts(2).gpus.entries()) identity.gpus.found(gpu, 'H100', n);
  // A job of Slurm on the first GPU, a pod on the second; later the job is over and the pod has both.
  const variables = { RANK: '5', WORLD_SIZE: '8', SLURM_JOB_ID: '991' };
  const process = processFact(40, { place: slurm('991'), variables, startedMs: START_MS });
  identity.work.processes.set(process);
  identity.work.scheduled.set(scheduledFact('991', { user: 'ada', name: 'llama', startedMs: START_MS }));
  identity.gpus.usedBy(gpuId(0), [40]);
  const container = (gpu: number) => ({ name: `c${gpu}`, id: null, variables: {}, log: null, devices: [{ resource: 'nvidia.com/gpu', id: uuid(gpu) }] }); // biome-ignore format: one container
  identity.work.pods.set(podFact('web', { containers: [container(1)], startedMs: START_MS }));
  clock.ms += 5000;
  live.pipeline.event(lost(0, clock.ms));
  live.pipeline.event(lost(1, clock.ms));
  clock.ms += 60_000;
  identity.work.processes.drop(processKey(process));
  identity.work.scheduled.drop('slurm/991');
  identity.gpus.usedBy(gpuId(0), []);
  identity.work.pods.set(podFact('web', { containers: [container(0), container(1)], startedMs: START_MS }));
  identity.work.fresh();
  clock.ms += 60_000;
  live.pipeline.event(lost(0, clock.ms));
  // One that is read late is still of whoever had the GPU then.
  live.pipeline.event({ ...lost(0, START_MS + 4000), observedMs: clock.ms });
  await recorder.close(clock.ms);

  const again = pipelineOf(t, now);
  const played = await playRecording(
    path,
    () => again.pipeline,
    (at) => {
      clock.ms = at;
    },
  );
  assert.equal(played.skipped, 0);
  assert.deepEqual(live.events.map(({ whose }) => whose?.map(({ job, user, ranks }) => [job, user, ranks])), [[['991', 'ada', [5]]], [['ml/web', null, []]], [['ml/web', null, []]], [['991', 'ada', [5]]]]); // biome-ignore format: one row an event
  assert.deepEqual(again.events.map(({ whose }) => whose), live.events.map(({ whose }) => whose)); // biome-ignore format: one comparison
  // Once for each change, and not with each event.
  assert.equal(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"work":{')).length,
    2,
  );
});

test('work that is not whole is passed over, and what was known stays', async (t) => {
  const { pipeline } = pipelineOf(t, () => START_MS);
  const heard: unknown[] = [];
  const line = Object.assign(Object.create(pipeline), { work: (work: unknown) => heard.push(work), advance: () => {}, event: () => {} }); // biome-ignore format: one line
  const folder = mkdtempSync(join(tmpdir(), 'replayed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'odd.flrec');
  const header = { schema: 'faultline/recording/1', host: 'x', version: '0', started_ms: 1, lateness_ms: 1, hold_ms: 1, links: [] }; // biome-ignore format: one header
  const odd = [{ works: 1, devices: [], conflicts: [] }, null, { works: [{}], devices: [], conflicts: [] }, { works: [], devices: [{}], conflicts: [] }]; // biome-ignore format: one list
  writeFileSync(path, [header, ...odd.map((work) => ({ at: 2, work }))].map((each) => JSON.stringify(each)).join('\n'));
  const played = await playRecording(path, () => line, () => {}); // biome-ignore format: one call
  assert.deepEqual([played.skipped, heard], [odd.length, []]);
});
