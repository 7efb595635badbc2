// Pending traps: what a device announced until a poll shows it. A trap alone is believed only where a poll cannot show the same.

import { componentText } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import { pduEvent } from '../pdu-event.ts';
import type { PduPlan } from '../pdu-plan.ts';
import { describeTrap, type Meaning, meaningOf } from './meaning.ts';
import type { Trap } from './trap.ts';

const MOST_PENDING = 32;
/** What is over before a poll can see it. */
const TRANSIENT: ReadonlySet<EventInput['kind']> = new Set([
  'power.voltage_sag',
  'power.voltage_swell',
  'power.source_transfer',
]);

export class PendingTraps {
  #traps: Trap[] = [];
  /** Those that came before the poll in progress began. */
  #due: Trap[] = [];
  #unconfirmed = 0;

  /** Further ones are dropped until a poll took care of these: it shows what is so. */
  add(trap: Trap): void {
    if (this.#traps.length < MOST_PENDING) this.#traps.push(trap);
  }

  /** A poll begins: what came until now is held against it, what comes from now on against the next. */
  begin(): void {
    this.#due = [...this.#due, ...this.#traps].slice(-MOST_PENDING);
    this.#traps = [];
  }

  /** Whether some are to be held against the poll in progress. */
  get due(): boolean {
    return this.#due.length > 0;
  }

  /** Announced states that the poll after them did not show. */
  get unconfirmed(): number {
    return this.#unconfirmed;
  }

  /** Events of the poll, with the traps that announced them as evidence and a closer time; then what traps alone tell. */
  reconcile(plan: PduPlan, events: readonly EventInput[], answered: boolean, observedMs: number): EventInput[] {
    const all = this.#due.map((trap) => ({ trap, meaning: meaningOf(trap, plan) }));
    this.#due = [];
    const used = new Set<Trap>();
    const confirmed = events.map((event) => {
      const match = all.find(({ meaning }) => isOf(meaning, event));
      if (match === undefined) return event;
      for (const { trap, meaning } of all) if (isOf(meaning, event)) used.add(trap);
      return withTrap(event, match.trap, match.meaning);
    });
    const alone = all.flatMap(({ trap, meaning }) => {
      const { kind } = meaning;
      if (used.has(trap) || kind === null || !meaning.onset) return [];
      if (answered && !TRANSIENT.has(kind)) {
        this.#unconfirmed += 1;
        return [];
      }
      return [trapAlone(trap, meaning, kind, answered, observedMs)];
    });
    return [...confirmed, ...firstOfEach(alone)];
  }
}

function isOf(meaning: Meaning, event: EventInput): boolean {
  if (event.kind !== meaning.kind || (event.state === 'clear') === meaning.onset || event.component === null)
    return false;
  const [one, other] = [componentText(event.component), componentText(meaning.component)];
  // A trap may name the device alone.
  return one === other || event.component.parent === other;
}

function withTrap(event: EventInput, trap: Trap, meaning: Meaning): EventInput {
  const earliestMs = event.interval?.earliestMs ?? event.timeMs;
  const timeMs = Math.max(earliestMs, Math.min(trap.timeMs, event.timeMs));
  return {
    ...event,
    timeMs,
    interval: { earliestMs, latestMs: timeMs },
    attributes: { ...event.attributes, trap: meaning.name },
    evidence: [...(event.evidence ?? []), { source: 'pdu', timeMs: trap.timeMs, text: describeTrap(meaning) }],
  };
}

function trapAlone(
  trap: Trap,
  meaning: Meaning,
  kind: EventInput['kind'],
  answered: boolean,
  observedMs: number,
): EventInput {
  const why = answered ? 'the poll after it does not show it any more' : 'the device did not answer the poll after it';
  const times = { afterMs: trap.timeMs, timeMs: trap.timeMs, observedMs };
  return pduEvent(kind, 'point', meaning.component, times, `${describeTrap(meaning)}; ${why}`, {
    severity: meaning.severity ?? 'warning',
    attributes: { trap: meaning.name, confirmed: false, authenticated: trap.authenticated },
  });
}

/** A device repeats what it announces. */
function firstOfEach(events: readonly EventInput[]): EventInput[] {
  const seen = new Set<string>();
  return events.filter(({ kind, component }) => {
    const key = `${kind} ${component === null ? '' : componentText(component)}`;
    return !seen.has(key) && seen.add(key);
  });
}
