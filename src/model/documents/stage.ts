// Stages as a part of `faultline/incident/1`: what was done about an incident, in order.

import type { Component } from '../component.ts';
import { OUTCOMES, type Outcome, STAGE_ACTIONS, STAGE_NAMES, type Stage, type StageAction, type StageName } from '../stage.ts'; // biome-ignore format: one import
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

/** No incident shows more. */
export const MOST_STAGES = 64;

export interface StageDocument {
  readonly id: string;
  readonly stage: StageName;
  readonly action: StageAction;
  readonly component: Component | null;
  readonly by: string | null;
  readonly source: string;
  readonly began_at: string;
  readonly ended_at: string | null;
  readonly wait_ms: number;
  /** Null while it is in progress. */
  readonly duration_ms: number | null;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly error: { readonly type: string; readonly message: string } | null;
}

export function stageToDocument(stage: Stage): StageDocument {
  const { id, name, action, component, by, source, beganMs, endedMs, waitMs, outcome, reason, error } = stage;
  return {
    id,
    stage: name,
    action,
    component,
    by,
    source,
    began_at: computedTime(beganMs),
    ended_at: endedMs === null ? null : computedTime(endedMs),
    wait_ms: Math.round(waitMs),
    duration_ms: endedMs === null ? null : Math.round(endedMs - beganMs),
    outcome,
    reason,
    error,
  };
}

export function stageFrom(value: unknown): Stage {
  const from = read.fields(value);
  const error = from.error === null || from.error === undefined ? null : read.fields(from.error);
  return {
    id: read.name(from.id),
    name: read.oneOf(from.stage, STAGE_NAMES),
    action: read.oneOf(from.action, STAGE_ACTIONS),
    component: read.componentOrNull(from.component),
    by: read.textOrNull(from.by),
    source: read.text(from.source),
    beganMs: read.timeMs(from.began_at),
    endedMs: from.ended_at === null || from.ended_at === undefined ? null : read.timeMs(from.ended_at),
    waitMs: read.number(from.wait_ms),
    outcome: read.oneOf(from.outcome, OUTCOMES),
    reason: read.textOrNull(from.reason),
    error: error === null ? null : { type: read.text(error.type), message: read.text(error.message) },
  };
}
