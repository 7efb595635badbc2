// Stage: what was done about an incident after it was detected, by whoever did it, as one step with a begin and an outcome.

import type { Component } from './component.ts';

/** In the order in which they usually come. `returned`: the node is in service again. */
export const STAGE_NAMES = ['detected', 'quarantined', 'drained', 'remediated', 'verified', 'returned'] as const;
export type StageName = (typeof STAGE_NAMES)[number];

export const STAGE_ACTIONS = [
  'detect',
  'cordon',
  'taint',
  'condition',
  'drain',
  'evict',
  'gpu_reset',
  'reboot',
  'driver_reload',
  'firmware_update',
  'replace_part',
  'verify',
  'uncordon',
  'untaint',
  'resume',
] as const;
export type StageAction = (typeof STAGE_ACTIONS)[number];

export const OUTCOMES = ['in_progress', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `type` is one of few words, for counting; `message` is for people. */
export interface StageError {
  readonly type: string;
  readonly message: string;
}

export interface Stage {
  /** Tells it from the others of its incident; the same in each revision. */
  readonly id: string;
  readonly name: StageName;
  readonly action: StageAction;
  readonly component: Component | null;
  /** Who did it, as the source has it: a Slurm user, a field manager of Kubernetes; null where it does not say. */
  readonly by: string | null;
  /** What saw it: the name of a source, or "acting" for what this daemon did itself. */
  readonly source: string;
  readonly beganMs: number;
  /** Null while it is in progress. */
  readonly endedMs: number | null;
  /** From the end of the stage before to the begin of this one. */
  readonly waitMs: number;
  readonly outcome: Outcome;
  /** Who did it gave this reason; of one that was skipped or cancelled, why. */
  readonly reason: string | null;
  readonly error: StageError | null;
}

/** What this daemon did itself, or decided not to. */
export interface StageReport extends Omit<Stage, 'waitMs' | 'source'> {
  readonly incidentId: string;
}

/** The source of stages that this daemon made itself. */
export const OWN_SOURCE = 'acting';
/** By whom they are, in the scheduler's own records too. */
export const OWN_NAME = 'faultline';
