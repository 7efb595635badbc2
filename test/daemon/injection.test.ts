// Tests of injected faults next to real ones: on one host, of one device, at one moment, and never in one incident.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ApiError } from '../../src/api/api-error.ts';
import type { Caller } from '../../src/api/caller.ts';
import { mayInject } from '../../src/api/inject-request.ts';
import { Injection } from '../../src/daemon/injection.ts';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { incidentFromDocument, incidentToDocument } from '../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { Emit } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';

const CONFIG = {
  host: 'node-3',
  inject: true,
  correlation: { latenessMs: 30_000, holdMs: 30_000 },
  topology: { links: [] },
};
const START_MS = 1_800_000_000_000;
const ROOT: Caller = { pid: 1, uid: 0, gid: 0, user: 'root' };
const XID = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The line of a daemon, and the one for what is injected, with one clock. */
function host(config = CONFIG) {
  let nowMs = START_MS;
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 64 });
  const real = { events: [] as FaultEvent[], incidents: new Map<string, Incident>() };
  const made = { events: [] as FaultEvent[], incidents: new Map<string, Incident>(), log: [] as object[] };
  const now = () => nowMs;
  const pipeline = new Pipeline({
    host: config.host,
    core,
    ...config.correlation,
    links: [],
    now,
    watches: () => true,
    onEvent: (event) => real.events.push(event),
    onIncident: (incident) => real.incidents.set(incident.id, incident),
  });
  const injection = new Injection({
    config,
    now,
    watches: () => true,
    onEvent: (event) => made.events.push(event),
    onIncident: (incident) => made.incidents.set(incident.id, incident),
    log: (fields) => made.log.push(fields),
  });
  closing.push(
    () => core.close(),
    () => injection.end(),
  );
  const pass = (ms: number): void => {
    for (let step = 0; step < ms; step += 250) {
      nowMs += 250;
      pipeline.advance(nowMs);
      injection.advance(nowMs);
    }
  };
  let position = 0;
  const kernel = (text: string): void => {
    position += 1;
    pipeline.text({
      source: 'kernel-log',
      trust: 'kernel',
      stream: '/dev/kmsg',
      position,
      timeMs: nowMs,
      timeDigits: 6,
      observedMs: nowMs,
      text,
      attributes: { priority: 3, facility: 0 },
    });
  };
  return { pipeline, injection, real, made, pass, kernel };
}

function discover(emit: Pick<Emit, 'discovery'>): void {
  const component = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['gpu 3'] } as const;
  emit.discovery({ component, links: [] });
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return `${error.httpStatus} ${error.code}`;
    throw error;
  }
  return 'taken';
}

const documents = (incidents: Map<string, Incident>) => [...incidents.values()].map((one) => incidentToDocument(one));

test('what is real is reported as it would be without the injected fault, to the last digit, before it and after it', () => {
  for (const order of ['injected first', 'real first']) {
    const alone = host();
    const both = host();
    for (const one of [alone, both]) {
      discover(one.pipeline);
      discover(one.injection);
      if (one === both && order === 'injected first') one.injection.take({ what: 'xid', xid: 79 }, ROOT);
      one.pass(500);
      one.kernel(XID);
      one.pass(500);
      if (one === both) {
        one.injection.take({ what: 'xid', xid: 79, gpu: '3' }, ROOT);
        one.injection.take({ what: 'xid', xid: 48, gpu: '0000:9b:00.0' }, ROOT);
        one.injection.take({ what: 'event', kind: 'gpu.reset' }, ROOT);
        one.injection.take({ what: 'event', kind: 'power.voltage_sag', component: 'pdu_phase/pdu-b/1' }, ROOT);
      }
      one.kernel('Out of memory: Killed process 4242 (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0'); // biome-ignore format: one line of the kernel
      one.pass(90_000);
    }
    assert.ok(alone.real.incidents.size > 0);
    assert.deepEqual(documents(both.real.incidents), documents(alone.real.incidents), order);
    assert.deepEqual(both.real.events, alone.real.events);
    assert.ok(both.made.incidents.size > 0);
  }
});

test('an injected incident holds injected events alone, is marked in title and document, and costs nothing', () => {
  const { pipeline, injection, real, made, kernel, pass } = host();
  discover(pipeline);
  discover(injection);
  kernel(XID);
  const { incidents, events } = injection.take({ what: 'xid', xid: 79 }, ROOT);
  pass(1000);
  assert.deepEqual(events.map(({ kind, attributes }) => [kind, attributes.injected]), [['gpu.lost', true]]); // biome-ignore format: pairs
  assert.equal(incidents.length, 1);
  for (const incident of made.incidents.values()) {
    assert.match(incident.title, /^\[injected\] GPU fell off the bus on node-3 gpu 3$/);
    assert.ok(incident.events.length > 0 && incident.events.every(({ attributes }) => attributes.injected === true));
    assert.ok(incident.impact.every(({ loss }) => loss === undefined));
    const document = incidentToDocument(incident);
    assert.equal(document.injected, true);
    assert.equal(incidentFromDocument(document)?.made, 'injected');
  }
  const ids = new Set([...real.events.map(({ id }) => id), ...real.incidents.keys()]);
  for (const id of [...made.events.map((event) => event.id), ...made.incidents.keys()]) assert.ok(!ids.has(id));
  for (const document of documents(real.incidents)) assert.equal('injected' in document, false);
});

test('no source can call its own events injected, by which they would count for nothing', () => {
  const { pipeline, real } = host();
  pipeline.event({
    kind: 'gpu.lost',
    component: { type: 'gpu', id: '0000:9b:00.0' },
    timeMs: START_MS,
    observedMs: START_MS,
    trust: 'driver',
    source: 'gpu',
    attributes: { injected: true, simulated: true, xid: 79 },
  });
  assert.deepEqual(real.events.map(({ attributes }) => attributes), [{ xid: 79 }]); // biome-ignore format: short
  assert.ok([...real.incidents.values()].every(({ made }) => made === undefined));
});

test('it ends on request, by itself, and with the daemon; then the next one is another incident', () => {
  const { injection, made } = host();
  injection.take({ what: 'xid', xid: 79 }, ROOT);
  assert.deepEqual([...made.incidents.values()].map(({ state }) => state), ['open']); // biome-ignore format: short
  const { incidents } = injection.take({ what: 'end' }, ROOT);
  assert.deepEqual(incidents.map(({ state }) => state), ['resolved']); // biome-ignore format: short
  injection.take({ what: 'xid', xid: 79 }, ROOT);
  assert.deepEqual([...made.incidents.values()].map(({ state }) => state), ['resolved', 'open']); // biome-ignore format: short
  const [, open] = made.incidents.values();
  assert.ok(open);
  const later = host();
  later.injection.endRestored([open, { ...open, id: 'a1b2c3d4e5f6', made: 'simulated' }]);
  assert.deepEqual([...later.made.incidents.values()].map(({ id, state, revision }) => [id, state, revision]), [[open.id, 'resolved', open.revision + 1]]); // biome-ignore format: pairs
});

test('of one that would end before another that was injected, the answer says that both end with the other', () => {
  const { injection } = host();
  const inject = (body: object) => injection.take(body, ROOT);
  assert.deepEqual(inject({ what: 'event', kind: 'gpu.lost', for_ms: 600_000 }).notes.length, 1);
  const [, ends] = inject({ what: 'xid', xid: 79, for_ms: 5000 }).notes;
  assert.match(ends ?? '', /stands for longer: all of it ends together/);
  assert.equal(inject({ what: 'xid', xid: 48, for_ms: 900_000 }).notes.length, 1);
});

test('root and the user of the daemon may inject, no other user, and none where it is off', () => {
  const as = (uid: number): Caller => ({ pid: 1, uid, gid: uid, user: null });
  assert.equal(
    refusal(() => mayInject(as(0), true, 998)),
    'taken',
  );
  assert.equal(
    refusal(() => mayInject(as(998), true, 998)),
    'taken',
  );
  assert.equal(
    refusal(() => mayInject(as(1000), true, 998)),
    '403 FL3411',
  );
  assert.equal(
    refusal(() => mayInject(null, true, 998)),
    '403 FL3411',
  );
  assert.equal(
    refusal(() => mayInject(as(1000), true, null)),
    '403 FL3411',
  );
  assert.equal(
    refusal(() => mayInject(as(0), false, 998)),
    '403 FL3412',
  );
  assert.equal(
    refusal(() => mayInject(as(1000), false, 998)),
    '403 FL3411',
  );
});

test('what is not clear is refused with a code, and leaves nothing', () => {
  const { injection, made } = host();
  const wrong: [unknown, string][] = [
    [null, '400 FL3410'],
    [[], '400 FL3410'],
    [{ what: 'boom' }, '400 FL3410'],
    [{ what: 'xid' }, '400 FL3410'],
    [{ what: 'xid', xid: 1.5 }, '400 FL3410'],
    [{ what: 'xid', xid: 79, gpu: 'x\u001b[2J' }, '400 FL3410'],
    [{ what: 'xid', xid: 79, colour: 'red' }, '400 FL3410'],
    [{ what: 'xid', xid: 79, for_ms: 1e12 }, '400 FL3410'],
    [{ what: 'xid', xid: 79, gpu: '3' }, '422 FL3414'],
    [{ what: 'xid', xid: 79, gpu: 'gpu/third' }, '422 FL3414'],
    [{ what: 'kernel-line', text: 'a\nb' }, '400 FL3410'],
    [{ what: 'kernel-line', text: 'x'.repeat(2000) }, '400 FL3410'],
    [{ what: 'kernel-line', text: 'systemd[1]: Started a thing.' }, '422 FL3413'],
    [{ what: 'event', kind: '__proto__' }, '400 FL3410'],
    [{ what: 'event', kind: 'power.voltage_sag' }, '422 FL3414'],
    [{ what: 'event', kind: 'power.voltage_sag', component: 'nonsense' }, '422 FL3414'],
    [{ what: 'end', for_ms: 1000 }, '400 FL3410'],
  ];
  for (const [body, code] of wrong)
    assert.equal(
      refusal(() => injection.take(body, ROOT)),
      code,
      JSON.stringify(body),
    );
  assert.deepEqual(made.events, []);
  let last = '';
  for (let i = 0; i < 61 && last !== '429 FL3415'; i += 1) last = refusal(() => injection.take({ what: 'end' }, ROOT));
  assert.equal(last, '429 FL3415');
});
