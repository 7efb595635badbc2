// Life: what was done about an incident after it was detected, as rows: stage, when, how long it waited and took, what came of it.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Outcome, Stage, StageAction } from '../../model/stage.ts';
import { sourceText } from './source-text.ts';
import { clockText, durationText, otherDay } from './when.ts';

const WORDS: { readonly [A in StageAction]: string } = {
  detect: 'detected',
  cordon: 'cordoned',
  taint: 'tainted',
  condition: 'condition set',
  drain: 'drained',
  evict: 'pods taken away',
  gpu_reset: 'GPU reset',
  reboot: 'rebooted',
  driver_reload: 'driver loaded again',
  firmware_update: 'firmware updated',
  replace_part: 'part replaced',
  verify: 'fault looked for',
  uncordon: 'uncordoned',
  untaint: 'taint removed',
  resume: 'resumed',
};

const OUTCOMES: { readonly [O in Outcome]?: string } = { in_progress: 'in progress', succeeded: 'done' };

export interface LifeRow {
  readonly stage: string;
  readonly when: string;
  /** "after 10 s, took 4 min" */
  readonly time: string;
  readonly outcome: string;
  /** What was done, by whom and why. */
  readonly what: string;
}

/** Empty where nothing was done about it. */
export function lifeRows({ stages = [], openedMs }: Incident, timeZone: string): readonly LifeRow[] {
  return stages.map((stage) => ({
    stage: stage.name,
    when: otherDay(stage.beganMs, openedMs, timeZone) + clockText(stage.beganMs, timeZone),
    time: timeText(stage),
    outcome: outcomeText(stage),
    what: whatText(stage),
  }));
}

function timeText({ waitMs, beganMs, endedMs }: Stage): string {
  const took = endedMs === null || endedMs - beganMs < 1 ? null : `took ${durationText(endedMs - beganMs)}`;
  const waited = waitMs < 1 ? null : `after ${durationText(waitMs)}`;
  return [waited, took].filter((part) => part !== null).join(', ');
}

function outcomeText({ name, outcome, error }: Stage): string {
  if (name === 'verified') return { succeeded: 'gone', failed: `not gone: ${error === null ? 'it is there' : plain(error.message, 200)}`, in_progress: 'not known yet', skipped: 'skipped', cancelled: 'cancelled' }[outcome]; // biome-ignore format: one table
  if (outcome === 'failed') return error === null ? 'failed' : `failed: ${plain(error.message, 200)}`;
  // What was seen to happen has no other way to end.
  if (outcome === 'succeeded' && name !== 'remediated') return '';
  return OUTCOMES[outcome] ?? outcome;
}

function whatText({ action, component, by, source, reason }: Stage): string {
  const who = by === null ? `seen by ${sourceText(source)}` : `by ${plain(by, 64)}`;
  const on = component === null ? '' : ` ${plain(nameText(component), 96)}`;
  const why = reason === null ? '' : `: ${plain(reason, 200)}`;
  return action === 'verify' ? `${WORDS[action]}${on}${why}` : `${WORDS[action]}${on}, ${who}${why}`;
}
