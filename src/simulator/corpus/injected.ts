// Finished events of an accuracy run, for sources that the rack does not simulate: NIC, storage, scheduler, traces.

import { parseDuration } from '../../config/quantity.ts';
import { type ClockJump, clockJumpEvent } from '../../model/clock-jump.ts';
import { type Component, canonicalPciAddress, parseComponent } from '../../model/component.ts';
import type { Trust } from '../../model/event.ts';
import { isKind, type Kind } from '../../model/kind.ts';
import type { Link } from '../../model/topology.ts';
import { WallTimes } from '../../model/wall-times.ts';
import { sourceNamed } from '../../sources/named.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { isRead } from './served/sel-line.ts';
import { type Actor, type Stage, wallAheadMs } from './stage.ts';

type Injected = Extract<PlannedChange, { type: 'event' }>;

/** Declared maintenance that says no end. */
const USUAL_WORK_MS = 900_000;
/** As often as native code looks at the clocks. */
const LOOK_MS = 100;
const PCI_TYPES: readonly string[] = ['gpu', 'nic', 'nvswitch', 'pcie'];

export class InjectedEvents implements Actor {
  readonly #stage: Stage;
  #count = 0;
  /** Maintenance in force. */
  readonly #declared = new Set<Injected>();
  /** As the sources that read what the wall clock stamped. */
  readonly #wall = new WallTimes();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  start(): void {}

  begin(change: PlannedChange): void {
    if (change.type === 'clock_step') this.#clockStep(change.by * 1000);
    if (change.type === 'process') this.#process(change);
    // What the source that reads the BMC's log makes nothing of comes in finished, where the scenario says as what.
    if (change.type === 'sel' && change.kind !== undefined && !isRead(change, this.#stage.plan.world.host.name)) {
      const { message, severity, kind, component = `host/${this.#stage.plan.world.host.name}` } = change;
      const grave = severity === undefined ? {} : { severity };
      this.#tell({ type: 'event', source: 'bmc', kind, component, ...grave, attributes: { message } }, 'point');
    }
    if (change.type !== 'event') return;
    const lasts = this.#stage.plan.steps.some((step) => step.change === change && step.forMs !== null);
    const declared = change.kind === 'host.maintenance';
    if (declared) this.#declared.add(change);
    this.#tell(change, lasts || declared ? 'onset' : 'point');
    if (!declared || lasts) return;
    const given = change.attributes?.for;
    const ms = (typeof given === 'string' ? parseDuration(given) : null) ?? USUAL_WORK_MS;
    this.#stage.clock.at(this.#stage.clock.now() + ms, () => this.end(change));
  }

  /** What is declared is kept on disk, and said again by the next run. */
  restart(): void {
    for (const change of this.#declared) this.#tell(change, 'onset');
  }

  end(change: PlannedChange): void {
    if (change.type !== 'event') return;
    this.#declared.delete(change);
    this.#tell(change, 'clear');
  }

  /** As what reads the table of processes finds it. */
  #process({ pid, gpu, rank }: Extract<PlannedChange, { type: 'process' }>): void {
    const { host } = this.#stage.plan.world;
    const process: Component = { type: 'process', id: String(pid), host: host.name, parent: `host/${host.name}` };
    const on = host.gpus.find(({ index, address }) => index === gpu || address === gpu);
    const from: Component = on === undefined ? { type: 'host', id: host.name } : { type: 'gpu', id: on.address, host: host.name }; // biome-ignore format: one choice
    const links: Link[] = [{ from, to: process, relation: 'runs', source: 'host' }];
    const to = rank === undefined ? null : parseComponent(`rank/${rank}`, host.name);
    if (to !== null) links.push({ from: process, to, relation: 'runs', source: 'host' });
    this.#stage.emit.discovery({ component: process, links });
  }

  #clockStep(byMs: number): void {
    const nowMs = this.#stage.now();
    const jump: ClockJump = { what: 'step', byMs, when: { earliestMs: nowMs - LOOK_MS, latestMs: nowMs } };
    this.#wall.stepped(byMs, jump.when);
    const wallMs = nowMs + wallAheadMs(this.#stage);
    this.#stage.emit.event(clockJumpEvent(jump, this.#stage.plan.world.host.name, wallMs, 'system'), 0);
  }

  #tell(change: Injected, state: 'onset' | 'clear' | 'point'): void {
    if (!isKind(change.kind)) return;
    const kind: Kind = change.kind;
    const { clock, emit } = this.#stage;
    const pollMs = duration(change.poll);
    const happenedMs = this.#stage.now();
    const waitMs = pollMs === 0 ? 0 : this.#stage.random(`phase ${change.source}`)() * pollMs;
    this.#count += 1;
    const discriminator = this.#count;
    clock.at(clock.now() + waitMs, () => {
      const seenMs = this.#stage.now();
      const aheadMs = (change.clock_ahead ?? 0) * 1000;
      const knownMs = (change.clock_known ?? 0) * 1000;
      const sinceMs = Math.max(duration(change.since), pollMs);
      const stamped = isStamped(change.source);
      const steady = stamped ? this.#wall.steady(seenMs + wallAheadMs(this.#stage), seenMs) : null;
      const unsureMs = steady === null ? 0 : steady.interval.latestMs - steady.interval.earliestMs;
      const toldMs = (steady?.timeMs ?? seenMs) + aheadMs;
      const beganMs = Math.min(toldMs, happenedMs + aheadMs + waitMs - sinceMs);
      emit.event(
        {
          kind,
          component: this.#component(change.component),
          timeMs: change.begun === true ? beganMs : toldMs,
          interval: { earliestMs: beganMs - knownMs - unsureMs, latestMs: toldMs + knownMs },
          observedMs: seenMs,
          trust: change.trust ?? trustOf(change),
          state,
          source: change.source,
          discriminator,
          ...(change.severity === undefined ? {} : { severity: change.severity }),
          ...(change.count === undefined ? {} : { count: change.count }),
          ...(change.attributes === undefined ? {} : { attributes: change.attributes }),
        },
        duration(change.late),
      );
    });
  }

  /** As a source on the watched host names it. */
  #component(text: string): Component | null {
    const component = parseComponent(text);
    if (component === null) return null;
    const { name } = this.#stage.plan.world.host;
    if (!PCI_TYPES.includes(component.type)) return component;
    return { ...component, id: canonicalPciAddress(component.id) ?? component.id, host: name };
  }
}

/** Of other programs, those that report on a service are the tenant's own. */
function trustOf({ source, component }: Injected): Trust {
  const ofTenant = parseComponent(component)?.type === 'service';
  return sourceNamed(source)?.trust ?? (ofTenant ? 'tenant' : 'system');
}

/** Its events are stamped by the wall clock, in the job's own words. */
function isStamped(source: string): boolean {
  return sourceNamed(source)?.trust === 'tenant';
}

function duration(text: string | undefined): number {
  return text === undefined ? 0 : (parseDuration(text) ?? 0);
}
