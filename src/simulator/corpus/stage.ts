// Stage: what every simulated source of an accuracy run works with — the plan, the changes in force, clock and chance.

import type { EventInput } from '../../model/record.ts';
import type { RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import type { ScenarioClock } from '../scenario-clock.ts';
import type { Channel } from './channel.ts';

export interface Stage {
  readonly plan: ScenarioPlan;
  readonly clock: ScenarioClock;
  readonly emit: Channel;
  readonly inForce: readonly PlannedChange[];
  /** Whether the daemon runs, so that anything is read. */
  isHere(): boolean;
  /** Epoch ms now. */
  now(): number;
  random(name: string): RandomStream;
}

/** One simulated source. */
export interface Actor {
  /** What it shows of itself before anything happens; begins to look. */
  start(): void;
  /** The changes in force are others now. */
  changed?(): void;
  /** A step begins or ends. */
  begin?(change: PlannedChange): void;
  end?(change: PlannedChange): void;
  /** The daemon is a new process: what its sources knew is lost, and found again. */
  restart?(rebooted: boolean): void;
  stop?(): void;
}

/** The changes of one type in force, in the order in which they began. */
export function inForce<T extends PlannedChange['type']>(
  changes: readonly PlannedChange[],
  type: T,
): Extract<PlannedChange, { type: T }>[] {
  return changes.filter((change): change is Extract<PlannedChange, { type: T }> => change.type === type);
}

/** How far the host's wall clock is ahead of the steady one, ms: the steps that it took so far. */
export function wallAheadMs({ inForce: changes }: Pick<Stage, 'inForce'>): number {
  return inForce(changes, 'clock_step').reduce((sum, { by }) => sum + by * 1000, 0);
}

/** Looks every `periodMs` while the daemon runs, first at a moment within the first period that the seed picks. */
export function poll(
  stage: Stage,
  name: string,
  periodMs: number,
  look: (nowMs: number) => void | Promise<void>,
): void {
  const lookHere = (): void | Promise<void> => (stage.isHere() ? look(stage.now()) : undefined);
  const firstMs = stage.clock.now() + stage.random(`phase ${name}`)() * periodMs;
  stage.clock.at(firstMs, () => {
    const first = lookHere();
    stage.clock.every(periodMs, lookHere);
    return first;
  });
}

export type Reported = Omit<EventInput, 'kind' | 'component'>;
