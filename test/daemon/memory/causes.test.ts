// Causes over a restart: what was resolved before the daemon ended is known as the cause of what follows after it, for as long as it
// would have been without the restart.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { RunMemory } from '../../../src/daemon/memory/run-memory.ts';
import { Pipeline } from '../../../src/daemon/pipeline.ts';
import { parseComponent } from '../../../src/model/component.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { native } from '../../../src/native.ts';

const T0 = 1_790_000_000_000;
const LATENESS_MS = 10_000;
const NIC = 'nic/0000:40:00.0';
const OTHER_NIC = 'nic/0000:41:00.0';
const GPU = 'gpu/0000:1b:00.0';
const folder = mkdtempSync(join(tmpdir(), 'causes-'));
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
  rmSync(folder, { recursive: true });
});

const empty = (): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
};
beforeEach(empty);

const place = (text: string) => parseComponent(text) ?? assert.fail(text);

class Run {
  readonly incidents = new Map<string, Incident>();
  nowMs: number;
  readonly #memory: RunMemory;
  #pipeline: Pipeline | null = null;

  private constructor(s: number) {
    this.nowMs = T0 + s * 1000;
    this.#memory = new RunMemory({
      directory: folder,
      host: 'node-3',
      latenessMs: LATENESS_MS,
      now: () => this.nowMs,
      sinceBoot: () => ({ bootId: 'boot-1', ms: this.nowMs - T0 }),
      plans: () => this.#pipeline?.remembered() ?? [],
      causes: () => this.#pipeline?.rememberedCauses() ?? [],
      onTrouble: (file, what, detail) => assert.fail(`${file} ${what}: ${detail}`),
    });
  }

  static async start(s: number, left: Run | null = null): Promise<Run> {
    const run = new Run(s);
    const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
    cores.push(core);
    const before = await run.#memory.read();
    run.#pipeline = new Pipeline({
      host: 'node-3',
      core,
      latenessMs: LATENESS_MS,
      holdMs: LATENESS_MS,
      links: [NIC, OTHER_NIC, GPU].map((to) => ({
        from: place('host/node-3'),
        to: place(to),
        relation: 'contains',
        source: 'host',
      })),
      restored: left?.open() ?? [],
      closed: [...(left?.incidents.values() ?? [])].filter(({ state }) => state === 'resolved'),
      ...before,
      now: () => run.nowMs,
      onEvent: () => run.#memory.happened(),
      onIncident: (incident) => run.incidents.set(incident.id, incident),
    });
    return run;
  }

  at(s: number): void {
    for (; this.nowMs < T0 + s * 1000; this.nowMs += 1000) this.#pipeline?.advance(this.nowMs);
  }

  event(s: number, kind: Kind, component: string, state: EventInput['state'] = 'point'): void {
    this.at(s);
    const { nowMs: timeMs } = this;
    this.#pipeline?.event({ kind, component: place(component), timeMs, observedMs: timeMs, trust: 'kernel', state, source: 'kernel-log' }); // biome-ignore format: one event
  }

  async stop(): Promise<this> {
    this.#pipeline?.reportWaiting();
    await this.#memory.stop();
    return this;
  }

  open(): Incident[] {
    return [...this.incidents.values()].filter(({ state }) => state === 'open');
  }

  chains(): string[] {
    return this.open().map(({ chain }) => chain.map(({ kind }) => kind).join(' > '));
  }
}

/** A module that was too warm for a minute; its incident is resolved by the end. */
async function warmModule(): Promise<Run> {
  const first = await Run.start(0);
  first.event(5, 'nic.module_overtemp', NIC, 'onset');
  first.event(60, 'nic.module_overtemp', NIC, 'clear');
  first.at(100);
  assert.deepEqual([...first.incidents.values()].map(({ state }) => state), ['resolved']); // biome-ignore format: one line
  return await first.stop();
}

test('resolved cause after restart: what follows from it names it', async () => {
  const second = await Run.start(102, await warmModule());
  second.event(160, 'nic.port_down', NIC, 'onset');
  second.at(200);
  assert.deepEqual(second.chains(), ['nic.module_overtemp > nic.port_down']);
  const [incident] = second.open();
  assert.equal(incident?.root.kind, 'nic.module_overtemp');
  assert.ok(incident.openedMs >= T0 + 160_000, 'what follows opened it');
});

test('resolved cause after restart: a point, and one that a reboot ended', async () => {
  const first = await Run.start(0);
  first.event(5, 'nic.link_flap', NIC);
  first.at(40);
  const second = await Run.start(42, await first.stop());
  second.event(50, 'net.rdma_retry_exceeded', NIC);
  second.at(55);
  assert.deepEqual(second.chains(), ['nic.link_flap > net.rdma_retry_exceeded']);

  empty();
  const lost = await Run.start(0);
  lost.event(5, 'gpu.lost', GPU);
  lost.event(60, 'host.rebooted', 'host/node-3');
  lost.at(400);
  const next = await Run.start(402, await lost.stop());
  next.at(900);
  assert.deepEqual([...next.incidents], [], 'it stays over');
});

test('resolved cause after restart: alone it opens nothing, in this run or the one after it', async () => {
  const second = await Run.start(102, await warmModule());
  second.at(150);
  const third = await Run.start(152, await second.stop());
  third.at(170);
  assert.deepEqual([...second.incidents, ...third.incidents], []);
  third.event(180, 'nic.port_down', NIC, 'onset');
  third.at(220);
  assert.deepEqual(third.chains(), ['nic.module_overtemp > nic.port_down']);
});

test('resolved cause after restart: not for longer than without one, and not of another device', async () => {
  const first = await warmModule();
  const other = await Run.start(102, first);
  other.event(160, 'nic.port_down', OTHER_NIC, 'onset');
  other.at(200);

  assert.deepEqual(other.chains(), ['nic.port_down']);
  const late = await Run.start(102, first);
  late.event(1_500, 'nic.port_down', NIC, 'onset');
  late.at(1_540);
  assert.deepEqual(late.chains(), ['nic.port_down']);
  await late.stop();
  assert.doesNotMatch(readFileSync(join(folder, 'causes.json'), 'utf8'), /module_overtemp/, 'and forgotten');
});

test('resolved cause after restart: bounded, the latest are kept', async () => {
  const first = await Run.start(0);
  for (let i = 0; i < 100; i += 1) first.event(5 + i, 'nic.link_flap', `nic/0000:${(16 + i).toString(16)}:00.0`);
  first.at(300);
  await first.stop();
  const { events } = JSON.parse(readFileSync(join(folder, 'causes.json'), 'utf8')) as {
    events: { component: string }[];
  };
  assert.equal(events.length, 48);
  assert.ok(JSON.stringify(events.at(-1)).includes('0000:73:00.0'));
});
