// Reads what the daemon finds, from its local API, until the answer is right and settled or the scenario is over.

import { ask } from '../../api/client.ts';
import { eventFromDocument } from '../../model/documents/event.ts';
import { incidentFromDocument } from '../../model/documents/incident.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { steadyNow } from '../../model/time.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';
import type { ScenarioClock } from '../scenario-clock.ts';
import { type Score, score } from '../score.ts';
import { follow } from './follow.ts';
import { type Offered, type Readiness, readiness } from './readiness.ts';

const POLL_MS = 200;
/** A right answer that is not revised for this long is taken as the daemon's last word. */
const SETTLED_MS = 3000;
/** What the last step does needs this long to be seen. */
const LAST_STEP_MS = 2000;

export interface Watched {
  readonly events: readonly unknown[];
  readonly incidents: readonly unknown[];
  readonly read: readonly Incident[];
  readonly score: Score;
}

export interface Listener {
  event(event: FaultEvent): void;
  incident(incident: Incident): void;
}

/** Asks until every offered source works; what it last said when `limitMs` is over or `stop` aborts. */
export async function untilReady(
  socket: string,
  offered: readonly Offered[],
  limitMs: number,
  clock: ScenarioClock,
  stop: AbortSignal,
): Promise<{ last: Readiness; answered: boolean }> {
  const untilMs = clock.now() + limitMs;
  let last = readiness(offered, null);
  let answered = false;
  while (!stop.aborted && clock.now() < untilMs) {
    try {
      last = readiness(offered, await ask('GET', '/v1/status', [socket]));
      answered = true;
      if (last.missing.length === 0) break;
    } catch {
      // Not up yet; the limit ends the waiting.
    }
    await new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { last, answered };
}

export class Watch {
  readonly #plan: ScenarioPlan;
  readonly #clock: ScenarioClock;
  readonly #listener: Listener;
  readonly #events: unknown[] = [];
  readonly #documents = new Map<string, unknown>();
  readonly #incidents = new Map<string, Incident>();
  readonly #foundMs = new Map<string, number>();
  readonly #unfollow: (() => void)[] = [];
  #changedMs = 0;
  #startedMs = 0;
  #startedEpochMs = 0;

  constructor(
    socket: string,
    plan: ScenarioPlan,
    clock: ScenarioClock,
    listener: Listener,
    lost: (why: string) => void,
  ) {
    this.#plan = plan;
    this.#clock = clock;
    this.#listener = listener;
    const take = (path: string, onDocument: (document: unknown) => void) =>
      this.#unfollow.push(follow(socket, path, onDocument, lost));
    take('/v1/events?follow=1', (document) => this.#event(document));
    take('/v1/incidents?follow=1', (document) => this.#incident(document));
  }

  /** The timeline begins now. */
  begin(): void {
    this.#startedMs = this.#clock.now();
    this.#startedEpochMs = steadyNow();
  }

  /** Resolves when the scenario is over, the right answer has settled, or `stop` aborts. */
  async settled(stop: AbortSignal): Promise<void> {
    const own = this.#plan.steps.filter(({ id }) => id !== null).map(({ atMs }) => atMs);
    const lastStepMs = Math.max(0, ...own) + LAST_STEP_MS;
    while (!stop.aborted) {
      const atMs = this.#clock.now() - this.#startedMs;
      if (atMs >= this.#plan.durationMs) return;
      const settled = atMs >= lastStepMs && this.#clock.now() - this.#changedMs >= SETTLED_MS;
      if (settled && this.#plan.truth.incidents.length > 0 && this.result().score.right) return;
      await new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  result(): Watched {
    const read = [...this.#incidents.values()];
    return {
      events: this.#events,
      incidents: [...this.#documents.values()],
      read,
      score: score(this.#plan.truth, read, {
        startedMs: this.#startedEpochMs,
        foundMs: ({ id, openedMs }) => this.#foundMs.get(id) ?? openedMs,
      }),
    };
  }

  close(): void {
    for (const unfollow of this.#unfollow) unfollow();
  }

  #event(document: unknown): void {
    const event = eventFromDocument(document);
    if (event === null) return;
    this.#events.push(document);
    this.#listener.event(event);
  }

  #incident(document: unknown): void {
    const incident = incidentFromDocument(document);
    if (incident === null) return;
    if (!this.#foundMs.has(incident.id)) this.#foundMs.set(incident.id, steadyNow());
    this.#documents.set(incident.id, document);
    this.#incidents.set(incident.id, incident);
    this.#changedMs = this.#clock.now();
    this.#listener.incident(incident);
  }
}
