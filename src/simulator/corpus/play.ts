// Plays a scenario through the real line faster than life: real detectors, decoders, correlation and incident book.

import { parseDuration } from '../../config/quantity.ts';
import { type Component, parseComponent } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity, maxSeverity, type Severity } from '../../model/severity.ts';
import type { Link, Relation } from '../../model/topology.ts';
import type { Recorder } from '../../sources/recording/recorder.ts';
import { randomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import { ManualClock } from '../scenario-clock.ts';
import { Bmc } from './bmc.ts';
import { Channel, type Trouble } from './channel.ts';
import { DaemonLife } from './daemon-life.ts';
import { GpuReadings } from './gpu-readings.ts';
import { Cpus, Gpus } from './gpus.ts';
import { HostFigures } from './host-figures.ts';
import { InjectedEvents } from './injected.ts';
import { Inventory } from './inventory.ts';
import { JobProcesses } from './job-processes.ts';
import { Nics } from './nics.ts';
import { PciBus } from './pci-bus.ts';
import { Pdus } from './pdus.ts';
import { presenceOf } from './presence.ts';
import { ServiceLog } from './services.ts';
import { type Actor, inForce, type Stage } from './stage.ts';
import { JobLog, KernelLog } from './texts.ts';
import { TracedService } from './traced-service.ts';
import { watchedPlans } from './watched-plans.ts';

/** Normal life before the timeline, so that every baseline is known, ms; longer where the job's steps are. */
const WARM_UP_MS = 30_000;
const WARM_UP_STEPS = 12;
const ADVANCE_MS = 1000;
/** When a run begins that says no time: Saturday noon, far from any change of a local clock. */
const EPOCH_MS = Date.UTC(2026, 10, 28, 12, 0, 0);

export interface Played {
  /** The last revision of every incident, oldest first. */
  readonly incidents: readonly Incident[];
  /** ms of the timeline at which the first revision was there for a reader, by incident id. */
  readonly seenMs: ReadonlyMap<string, number>;
  /** The same of the first that was a warning or worse. */
  readonly warnedMs: ReadonlyMap<string, number>;
  /** The gravest severity that it was reported with, by incident id. */
  readonly worst: ReadonlyMap<string, Severity>;
  readonly revisions: number;
  readonly events: number;
  /** What was played, the time before and after the timeline included. */
  readonly simulatedMs: number;
}

export interface PlayOptions {
  readonly latenessMs?: number;
  readonly holdMs?: number;
  /** Called with every event and every link as the pipeline takes them, in order of arrival. */
  readonly onEvent?: (event: FaultEvent) => void;
  readonly onLink?: (link: Link) => void;
  /** Called with every revision of an incident. */
  readonly onIncident?: (incident: Incident) => void;
  /** Keeps what the simulated sources emit. */
  readonly recorder?: Recorder;
}

/** Deterministic: the same plan gives the same incidents. */
export async function play(plan: ScenarioPlan, options: PlayOptions = {}): Promise<Played> {
  const played: Played[] = [];
  for (const one of watchedPlans(plan)) played.push(await playHost(one, options));
  const [first] = played;
  if (first !== undefined && played.length === 1) return first;
  const sum = (of: (one: Played) => number): number => played.reduce((total, one) => total + of(one), 0);
  return {
    incidents: played.flatMap(({ incidents }) => incidents),
    seenMs: new Map(played.flatMap(({ seenMs }) => [...seenMs])),
    warnedMs: new Map(played.flatMap(({ warnedMs }) => [...warnedMs])),
    worst: new Map(played.flatMap(({ worst }) => [...worst])),
    revisions: sum(({ revisions }) => revisions),
    events: sum(({ events }) => events),
    simulatedMs: sum(({ simulatedMs }) => simulatedMs),
  };
}

async function playHost(plan: ScenarioPlan, options: PlayOptions): Promise<Played> {
  const { latenessMs = plan.settings.latenessMs, holdMs = plan.settings.holdMs, onEvent, onLink } = options;
  const clock = new ManualClock();
  const slowest = Math.max(0, ...plan.world.jobs.map(({ stepTimeMs }) => stepTimeMs));
  const startMs = Math.max(WARM_UP_MS, WARM_UP_STEPS * slowest);
  const epochMs = plan.beginsMs === null ? EPOCH_MS : plan.beginsMs - startMs;
  const now = (): number => epochMs + clock.now();
  const incidents = new Map<string, Incident>();
  const seenMs = new Map<string, number>();
  const warnedMs = new Map<string, number>();
  const worst = new Map<string, Severity>();
  let revisions = 0;
  let events = 0;
  const links = linksOf(plan);
  for (const link of links) onLink?.(link);
  const life = new DaemonLife(
    {
      host: plan.world.host.name,
      latenessMs,
      holdMs,
      links,
      recorder: options.recorder ?? null,
      now,
      onEvent: (event) => {
        events += 1;
        onEvent?.(event);
      },
      onDiscovery: (discovery) => {
        for (const link of discovery.links) onLink?.(link);
      },
      onIncident: (incident) => {
        revisions += 1;
        options.onIncident?.(incident);
        incidents.set(incident.id, incident);
        worst.set(incident.id, maxSeverity(worst.get(incident.id) ?? 'info', incident.severity));
        const atMs = clock.now() - startMs;
        if (!seenMs.has(incident.id)) seenMs.set(incident.id, atMs);
        const warns = compareSeverity(incident.severity, 'warning') >= 0;
        if (warns && !warnedMs.has(incident.id)) warnedMs.set(incident.id, atMs);
      },
    },
    clock,
    epochMs,
    () => [...incidents.values()],
  );
  const actors: Actor[] = [];
  try {
    const changes: PlannedChange[] = [];
    const emit = new Channel(
      () => life.pipeline,
      clock,
      epochMs,
      () => troubleOf(changes),
    );
    const random = (name: string) => randomStream(plan.seed, `corpus ${name}`);
    const isHere = (): boolean => presenceOf(changes) === 'here';
    const stage: Stage = { plan, clock, emit, inForce: changes, isHere, now, random };
    actors.push(
      ...actorsOf(stage),
      ...(plan.settings.off.includes('processes') ? [] : [new JobProcesses(stage, life)]),
    );
    for (const actor of actors) actor.start();
    clock.every(ADVANCE_MS, () => {
      if (isHere()) life.pipeline.advance(now());
    });
    perform(plan, stage, actors, changes, startMs, life);
    const simulatedMs = startMs + plan.durationMs + latenessMs + 5 * ADVANCE_MS;
    await clock.run(simulatedMs);
    return { incidents: [...incidents.values()], seenMs, warnedMs, worst, revisions, events, simulatedMs };
  } finally {
    clock.stop();
    for (const actor of actors) actor.stop?.();
    life.close();
  }
}

function actorsOf(stage: Stage): Actor[] {
  const { world, settings } = stage.plan;
  const is = (source: string): boolean => !settings.off.includes(source);
  return [
    ...(is('kernel-log') ? [new KernelLog(stage)] : []),
    ...(is('gpu') ? [new Gpus(stage)] : []),
    ...(is('cpu') ? [new Cpus(stage)] : []),
    ...(is('pdu') ? [new Pdus(stage)] : []),
    ...(is('bmc') ? [new Bmc(stage)] : []),
    ...(is('job-log') ? world.jobs.map((job) => new JobLog(stage, job)) : []),
    ...(is('job-log') ? world.services.map((service) => new ServiceLog(stage, service)) : []),
    ...(is('otlp-in') ? world.traced.map((service) => new TracedService(stage, service)) : []),
    new InjectedEvents(stage),
    ...(is('gpu') ? [new GpuReadings(stage)] : []),
    ...(is('nic') ? [new Nics(stage)] : []),
    ...(is('system') ? [new HostFigures(stage)] : []),
    ...(is('pci') ? [new PciBus(stage)] : []),
    ...(is('inventory') ? [new Inventory(stage)] : []),
  ];
}

/** Puts the steps in force one after the other; only the next one waits on the clock, for there can be thousands. */
function perform(
  plan: ScenarioPlan,
  { clock, emit }: Stage,
  actors: readonly Actor[],
  changes: PlannedChange[],
  startMs: number,
  life: DaemonLife,
): void {
  const changed = (): void => {
    for (const actor of actors) actor.changed?.();
  };
  const begin = (index: number): void => {
    const step = plan.steps[index];
    if (step === undefined) return;
    clock.at(startMs + step.atMs, () => {
      changes.push(step.change);
      changed();
      life.begin(step.change);
      for (const actor of actors) actor.begin?.(step.change);
      if (step.forMs === null && isPoint(step.change)) changes.pop();
      if (step.forMs !== null) {
        clock.at(startMs + step.atMs + step.forMs, () => {
          changes.splice(changes.indexOf(step.change), 1);
          if (life.end(step.change)) for (const actor of actors) actor.restart?.(step.change.type === 'reboot');
          changed();
          life.rebooted(step.change);
          emit.release();
          for (const actor of actors) actor.end?.(step.change);
        });
      }
      begin(index + 1);
    });
  };
  begin(0);
}

const POINTS: readonly PlannedChange['type'][] = [
  'event',
  'sel',
  'kernel_line',
  'job_line',
  'service_line',
  'xid',
  'gpu_driver_event',
  'nic_drops',
  'process',
];

/** What happens once and then is over; everything else stays in force. */
function isPoint(change: PlannedChange): boolean {
  return POINTS.includes(change.type);
}

function troubleOf(changes: readonly PlannedChange[]): Trouble {
  const down = new Set(inForce(changes, 'source_down').map(({ source }) => source));
  const late = new Map(inForce(changes, 'source_late').map(({ source, by }) => [source, parseDuration(by) ?? 0]));
  return { presence: presenceOf(changes), down, late };
}

/** What the configuration of this rack would say. */
export function linksOf({ world }: ScenarioPlan): Link[] {
  const link = (from: string, to: string, relation: Relation): Link[] => {
    const [a, b] = [from, to].map((text): Component | null => parseComponent(text));
    return a && b ? [{ from: a, to: b, relation, source: 'configuration' }] : [];
  };
  return [
    ...world.feeds.flatMap(({ from, to }) => link(from, to, 'feeds')),
    ...world.runs.flatMap(({ from, to }) => link(from, to, 'runs')),
    ...world.links.flatMap(({ from, to, relation }) => link(from, to, relation)),
  ];
}
