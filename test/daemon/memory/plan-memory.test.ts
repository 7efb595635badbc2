// Plans over a restart: the daemon ends in the middle of a reset or a reboot, and the next one explains what that explains, no longer.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { EventMemory } from '../../../src/daemon/memory/event-memory.ts';
import { Pipeline } from '../../../src/daemon/pipeline.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { native } from '../../../src/native.ts';

const T0 = 1_790_000_000_000;
const GPU = { type: 'gpu', id: '0000:1b:00.0', host: 'node-3' } as const;
const HOST = { type: 'host', id: 'node-3' } as const;
const folder = mkdtempSync(join(tmpdir(), 'plans-'));
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => rmSync(join(folder, 'plans.json'), { force: true }));

interface Run {
  readonly pipeline: Pipeline;
  readonly incidents: Map<string, Incident>;
  readonly memory: EventMemory;
  /** Seconds after T0 on the steady clock of this run. */
  at(s: number): void;
  event(s: number, kind: Kind, state?: EventInput['state'], more?: Partial<EventInput>): void;
}

interface Boot {
  readonly id: string;
  /** How far the clock of this run is ahead of the time since boot, ms. */
  readonly aheadMs?: number;
}

/** A run that takes up what the one before it left. */
async function start(s: number, left: Run | null = null, { id, aheadMs = 0 }: Boot = { id: 'boot-1' }): Promise<Run> {
  let nowMs = T0 + s * 1000 + aheadMs;
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
  cores.push(core);
  const incidents = new Map<string, Incident>();
  let pipeline: Pipeline | null = null;
  const options = {
    directory: folder,
    name: 'plans.json',
    schema: 'faultline/plans/1',
    settleMs: 1_000,
    host: 'node-3',
    now: () => nowMs,
    sinceBoot: () => ({ bootId: id, ms: nowMs - T0 - aheadMs }),
    remembered: (): readonly FaultEvent[] => pipeline?.remembered() ?? [],
    onTrouble: (_: string, detail: string) => assert.fail(detail),
  };
  const memory = new EventMemory(options);
  const plans = await memory.read();
  pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [{ from: HOST, to: GPU, relation: 'contains', source: 'host' }],
    restored: [...(left?.incidents.values() ?? [])].filter(({ state }) => state === 'open'),
    plans,
    now: () => nowMs,
    onEvent: () => {},
    onIncident: (incident) => incidents.set(incident.id, incident),
  });
  const run: Run = {
    pipeline,
    incidents,
    memory,
    at(to) {
      for (; nowMs < T0 + to * 1000 + aheadMs; nowMs += 1000) pipeline.advance(nowMs);
    },
    event(to, kind, state = 'point', more = {}) {
      run.at(to);
      const component = kind.startsWith('host.') || kind.startsWith('driver.') ? HOST : GPU;
      pipeline.event({
        kind,
        component,
        timeMs: nowMs,
        observedMs: nowMs,
        trust: 'kernel',
        state,
        source: 'pci',
        ...more,
      });
    },
  };
  return run;
}

async function stop(run: Run): Promise<Run> {
  run.pipeline.reportWaiting();
  await run.memory.file.stop();
  return run;
}
const open = ({ incidents }: Run) =>
  [...incidents.values()].filter(({ state }) => state === 'open').map(({ title }) => title);

test('a restart in the middle of a reset: silent while its time lasts, reported where the GPU stays away', async () => {
  const first = await start(0);
  first.event(5, 'gpu.reset');
  first.at(20);
  const second = await start(22, await stop(first));
  second.event(25, 'gpu.missing', 'onset');
  second.at(60);
  assert.deepEqual([...second.incidents], []);
  second.at(120);
  assert.match(open(second).join(), /did not come back from the reset$/);
  const twin = await start(22, await stop(first));
  twin.event(25, 'gpu.missing', 'onset');
  twin.event(58, 'gpu.missing', 'clear');
  twin.at(600);
  assert.deepEqual([...twin.incidents], []);
});

test('a line of the kernel under the plan is known to the next run, which will not read it again', async () => {
  const first = await start(0);
  first.event(5, 'driver.reloaded');
  first.event(8, 'gpu.missing');
  first.at(12);
  assert.deepEqual([...first.incidents], []);
  const second = await start(15, await stop(first));
  second.at(100);
  assert.deepEqual(open(second), []);
  second.at(170);
  assert.match(open(second).join(), /did not come back from the driver reload of node-3$/);
});

test('a GPU that went missing under the plan and is found missing again by the next run went missing when it did', async () => {
  const first = await start(0);
  first.event(5, 'driver.reloaded');
  first.event(20, 'gpu.missing', 'onset');
  first.at(85);
  assert.deepEqual([...first.incidents], []);
  await stop(first);
  const back = await start(87);
  back.event(97, 'gpu.missing', 'onset');
  back.event(115, 'gpu.missing', 'clear');
  back.at(700);
  assert.deepEqual([...back.incidents], [], 'long after the reload, and explained by it all the same');
  const away = await start(87);
  away.event(97, 'gpu.missing', 'onset');
  away.at(170);
  assert.match(open(away).join(), /did not come back from the driver reload of node-3$/);
  const whole = await start(87);
  whole.at(700);
  assert.deepEqual([...whole.incidents], [], 'what no source reports again is over');
});

test('an incident keeps what it did not come back from, and stays one incident, when the daemon starts again', async () => {
  const first = await start(0);
  first.event(5, 'host.rebooted');
  first.event(20, 'gpu.missing', 'onset');
  first.at(400);
  const [before] = first.incidents.values();
  assert.match(before?.title ?? '', /did not come back from the reboot of node-3$/);
  const second = await start(1000, await stop(first));
  second.at(1010);
  second.event(1020, 'gpu.missing', 'onset');
  assert.deepEqual([...second.incidents], [], 'there is nothing new to say');
  second.event(1030, 'gpu.missing', 'clear');
  second.at(1100);
  const [after] = second.incidents.values();
  assert.deepEqual([second.incidents.size, after?.id, after?.state], [1, before?.id, 'resolved']);
  assert.match(after?.title ?? '', /did not come back from the reboot of node-3$/);
  assert.equal(after?.outlasted?.eventId, before?.outlasted?.eventId);
});

for (const [what, aheadMs] of [
  ['back', -3_600_000],
  ['forward', 3_600_000],
] as const) {
  test(`the clock is set an hour ${what} between the two runs`, async () => {
    const first = await start(0);
    first.event(5, 'gpu.reset');
    first.at(20);
    await stop(first);
    const second = await start(22, null, { id: 'boot-1', aheadMs });
    second.event(25, 'gpu.missing', 'onset');
    second.at(60);
    assert.deepEqual([...second.incidents], [], 'explained, as if nothing had been done to the clock');
    second.at(120);
    assert.match(open(second).join(), /did not come back from the reset$/);
  });
}

test('after another boot with the clock an hour back, nothing of before can be placed', async () => {
  const first = await start(0);
  first.event(5, 'gpu.reset');
  first.at(20);
  await stop(first);
  const second = await start(22, null, { id: 'boot-2', aheadMs: -3_600_000 });
  assert.deepEqual(second.pipeline.remembered(), []);
});

test('a damaged file, one of a later version, and none at all are nothing to explain by', async () => {
  const first = await start(0);
  first.event(5, 'gpu.reset');
  first.at(20);
  await stop(first);
  const path = join(folder, 'plans.json');
  const good = readFileSync(path, 'utf8');
  const troubles: string[] = [];
  const read = async (): Promise<readonly FaultEvent[]> =>
    await new EventMemory({
      directory: folder,
      name: 'plans.json',
      schema: 'faultline/plans/1',
      settleMs: 1_000,
      host: 'node-3',
      now: () => T0 + 22_000,
      sinceBoot: () => ({ bootId: 'boot-1', ms: 22_000 }),
      remembered: () => [],
      onTrouble: (_, detail) => troubles.push(detail),
    }).read();
  assert.equal((await read()).length, 1);
  const broken = [good.slice(0, -40), '', '[]', 'null', '{"schema":"faultline/plans/1","events":{}}', good.replace('plans/1', 'plans/9')]; // biome-ignore format: one line
  for (const text of broken) {
    writeFileSync(path, text);
    assert.deepEqual(await read(), [], text.slice(0, 60));
    assert.match(troubles.pop() ?? '', /plans\.json .*; it is kept as plans\.json\.damaged$/);
    assert.equal(readFileSync(`${path}.damaged`, 'utf8'), text);
  }
  assert.deepEqual(await read(), [], 'there is none');
  writeFileSync(path, good.replace('gpu.reset', 'gpu.nothing'));
  assert.deepEqual(await read(), [], 'an event that this version does not know is left out');
  assert.deepEqual(troubles, []);
});

test('what no longer explains anything is forgotten', async () => {
  const first = await start(0);
  first.event(5, 'gpu.reset');
  first.event(10, 'gpu.missing', 'onset');
  first.event(40, 'gpu.missing', 'clear');
  first.at(30);
  assert.equal(first.pipeline.remembered().length, 1);
  first.at(1200);
  assert.deepEqual(first.pipeline.remembered(), []);
  await stop(first);
  assert.equal(first.pipeline.explainsForATime, false);
});
