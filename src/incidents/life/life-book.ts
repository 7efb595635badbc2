// Life book: what was done to this host lately, and which incidents it was done about.

import { remember } from '../../helpers/remember.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { OWN_SOURCE, type Stage, type StageReport } from '../../model/stage.ts';
import { type Act, actOf } from './act.ts';
import { stagesOf, VERIFY_MS } from './stages.ts';

const MOST_ACTS = 512;
/** Resolved incidents that are followed until their node is in service again. */
const MOST_LEFT = 64;
const MOST_OPEN = 4096;
const FOLLOWED_MS = 7 * 86_400_000;

export class LifeBook {
  readonly #acts = new Map<string, Act>();
  readonly #open = new Map<string, Incident>();
  /** Resolved ones of which a stage may still come, by id. */
  readonly #left = new Map<string, Incident>();
  #nowMs = 0;

  /** `restored`: as an earlier run left them; their stages say what was done. */
  constructor(restored: readonly Incident[] = []) {
    for (const incident of restored) {
      if (incident.state === 'resolved' && !isUnfinished(incident, 0)) continue;
      for (const stage of incident.stages ?? []) this.#restore(incident, stage);
      this.keep(incident);
    }
  }

  /** Something is in progress, so that time has to pass. */
  get waiting(): boolean {
    for (const { stages } of this.#open.values())
      if (stages?.some(({ name, outcome }) => name === 'verified' && outcome === 'in_progress')) return true;
    return false;
  }

  /** The incident with its stages, as they are now. */
  with(incident: Incident): Incident {
    this.#nowMs = Math.max(this.#nowMs, incident.updatedMs);
    const stages = this.#acts.size === 0 ? [] : stagesOf(incident, [...this.#acts.values()], this.#nowMs);
    const { stages: before, ...rest } = incident;
    return stages.length === 0 ? rest : { ...rest, stages };
  }

  /** Takes what was done; the incidents that it may be about, as they were. */
  take(event: FaultEvent): readonly Incident[] {
    const act = actOf(event);
    if (act === null) return [];
    remember(this.#acts, act.id, act, MOST_ACTS);
    this.#nowMs = Math.max(this.#nowMs, event.timeMs);
    return [...this.#open.values(), ...this.#left.values()];
  }

  /** What this daemon did itself, or did not; the incident that it is about. */
  report({ incidentId, ...stage }: StageReport): Incident | null {
    const act: Act = { ...stage, source: OWN_SOURCE, eventId: null, kind: null, incidentId };
    // Its id is the same for each incident.
    remember(this.#acts, `${incidentId} ${stage.id}`, act, MOST_ACTS);
    return this.#open.get(incidentId) ?? this.#left.get(incidentId) ?? null;
  }

  /** Those of which the passing of time alone decides something. */
  advance(nowMs: number): readonly Incident[] {
    if (!this.waiting) return [];
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    return [...this.#open.values()].filter(({ stages = [] }) =>
      stages.some(
        ({ name, outcome, beganMs }) =>
          name === 'verified' && outcome === 'in_progress' && nowMs >= beganMs + VERIFY_MS,
      ),
    );
  }

  /** As it was reported. */
  keep(incident: Incident): void {
    this.#open.delete(incident.id);
    this.#left.delete(incident.id);
    if (incident.state === 'open') remember(this.#open, incident.id, incident, MOST_OPEN);
    else if (isUnfinished(incident, this.#nowMs)) remember(this.#left, incident.id, incident, MOST_LEFT);
  }

  /** An act made again of its stage; what follows from others is found again. */
  #restore({ id: incidentId }: Incident, stage: Stage): void {
    if (stage.name === 'detected' || stage.name === 'verified') return;
    if (stage.name === 'drained' && stage.outcome === 'in_progress') return;
    const { waitMs, ...rest } = stage;
    const step = stage.name === 'drained' ? { ...rest, action: 'drain' as const } : rest;
    const id = `${incidentId} ${stage.id}`;
    remember(this.#acts, id, { ...step, id: stage.id, eventId: null, kind: null, incidentId }, MOST_ACTS);
  }
}

/** The node is not in service again. */
function isUnfinished({ stages = [], updatedMs }: Incident, nowMs: number): boolean {
  if (stages.length === 0 || updatedMs < nowMs - FOLLOWED_MS) return false;
  const out = stages.filter(({ name, outcome }) => name === 'quarantined' && outcome === 'succeeded').length;
  return out > stages.filter(({ name }) => name === 'returned').length;
}
