// The pipeline, and the job, user, ranks and pods of what goes wrong in it: captured when it happened, named in the incident.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { Identity } from '../../src/identity/identity.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { EventInput } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';
import { gpuFacts, gpuId, processFact, scheduledFact, slurm } from '../identity/work/facts.ts';

const T0 = 1_790_000_000_000;
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
});

function build() {
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 100 });
  cores.push(core);
  const clock = { now: T0 };
  const now = () => clock.now;
  const identity = new Identity('node-3', { now });
  for (const [index, gpu] of gpuFacts(2).gpus.entries()) identity.gpus.found(gpu, 'H100', index);
  const events: FaultEvent[] = [];
  const incidents: Incident[] = [];
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    identity,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    now,
    onEvent: (event) => events.push(event),
    onIncident: (incident) => incidents.push(incident),
  });
  const lost = (more: Partial<EventInput> = {}) =>
    pipeline.event({ kind: 'gpu.lost', component: { type: 'gpu', id: gpuId(0) }, timeMs: clock.now, observedMs: clock.now, trust: 'kernel', source: 'kernel-log', ...more }); // biome-ignore format: one call
  return { clock, identity, pipeline, events, incidents, lost };
}

test('an incident names the job of the GPU, and still does when the job is gone', () => {
  const { clock, identity, pipeline, events, incidents, lost } = build();
  identity.work.scheduled.replace([
    scheduledFact('991', { name: 'llama-70b', user: 'alice', userId: 1000, gpus: [0] }),
  ]);
  identity.work.processes.replace([processFact(400, { place: slurm('991', '0', 0), variables: { RANK: '3', WORLD_SIZE: '8', LOCAL_RANK: '0' } })]); // biome-ignore format: one call
  clock.now = T0 + 5_000;
  lost({ discriminator: 1 });
  assert.deepEqual(
    events[0]?.whose?.map(({ job, user, ranks }) => [job, user, ranks]),
    [['991', 'alice', [3]]],
  );
  const [incident] = incidents;
  assert.deepEqual(
    incident?.whose?.map(({ job, name }) => [job, name]),
    [['991', 'llama-70b']],
  );
  identity.work.scheduled.replace([]);
  identity.work.processes.replace([]);
  clock.now = T0 + 60_000;
  lost({ discriminator: 1, timeMs: T0 + 5_000, observedMs: T0 + 5_000, count: 2 });
  pipeline.advance(clock.now);
  assert.equal(events[1]?.id, events[0]?.id, 'a repeat');
  assert.deepEqual(events[1]?.whose, events[0]?.whose);
  assert.equal(incidents.at(-1)?.whose?.[0]?.job, '991');
  const document = JSON.parse(JSON.stringify(wholeIncidentToDocument(incidents.at(-1) as Incident)));
  assert.equal(document.jobs[0].id, '991');
  assert.deepEqual(document.events[0].jobs[0].ranks, [3]);
  const back = incidentFromDocument(document);
  assert.deepEqual(back?.whose, incidents.at(-1)?.whose);
  assert.deepEqual(back?.events[0]?.whose, events[0]?.whose);
});

test('a host without known work has documents as before', () => {
  const { incidents, lost } = build();
  lost();
  assert.equal('whose' in (incidents[0] as Incident), false);
  assert.equal('jobs' in wholeIncidentToDocument(incidents[0] as Incident), false);
});
