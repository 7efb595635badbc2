// Lost: the GPU-hours that an incident took, and what they cost, in words.

import { decimalText } from '../../helpers/decimal-text.ts';
import type { Sums } from '../../model/documents/lost.ts';
import { type Lost, lostOf } from '../../model/gpu-hours.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { together } from './layout.ts';
import { numberText } from './quantity.ts';

/** Less than half a minute of one GPU is not worth a word. */
const LEAST_HOURS = 1 / 120;

/**
 * `≈ 3.4 GPU-hours so far, 8.50 EUR`, and what another incident counts: `, and 2.1 counted under 44fa…`. Null where none are
 * known or worth telling.
 */
export function lostText(incident: Incident, nowMs: number): string | null {
  const lost = lostOf(incident, nowMs);
  if (lost === null) return null;
  const { gpuHours, cost } = lost;
  const others = lost.elsewhere === null || lost.elsewhere.gpuHours < LEAST_HOURS ? null : lost.elsewhere;
  if (gpuHours < LEAST_HOURS && others === null) return null;
  const so = incident.state === 'open' ? ' so far' : '';
  const money = cost === null ? '' : `, ${decimalText(cost.amount, MONEY)} ${plain(cost.currency, 8)}`;
  // The unit was said just before where both are hours.
  const said = gpuHours < LEAST_HOURS || gpuHours >= IN_HOURS;
  const under = others === null ? '' : underText(others, said);
  if (gpuHours < LEAST_HOURS) return together(`no GPU-hours of its own${so}${under}`);
  return together(`≈ ${timeText(gpuHours)}${so}${money}${under}`);
}

function timeText(gpuHours: number): string {
  return gpuHours < IN_HOURS ? gpuTimeText(gpuHours) : `${numberText(gpuHours)} GPU-hours`;
}

/** A twentieth of a GPU-hour: two digits of less than that say nothing. */
const IN_HOURS = 0.05;

/** GPU-hours as `12.3` or `0.42`, few of them as GPU-minutes, `2.4 min`; `0` for none. */
export function hoursText(gpuHours: number): string {
  if (gpuHours <= 0) return '0';
  if (gpuHours >= IN_HOURS) return gpuHours.toFixed(gpuHours < 10 ? 2 : 1);
  const minutes = gpuHours * 60;
  return minutes < 0.1 ? '<0.1 min' : `${minutes.toFixed(1)} min`;
}

/** The same in a sentence: `12.3 GPU-hours`, `2.4 GPU-minutes`. */
export function gpuTimeText(gpuHours: number): string {
  const text = hoursText(gpuHours);
  return text.endsWith(' min') ? text.replace('min', 'GPU-minutes') : `${text} GPU-hours`;
}

/** Of sums of numbers that are rounded each. */
const ROUNDED = 1e-4;

/** What was had, as `hoursText`. Nothing loses more than it has: where it seems so, jobs have no run in the log. */
export function heldText({ held_gpu_hours: held, lost_gpu_hours: lost, undecided_gpu_hours: undecided }: Sums): string {
  return lost + undecided > held + ROUNDED ? 'not known' : hoursText(held);
}

function underText({ gpuHours, incidentIds }: NonNullable<Lost['elsewhere']>, hoursSaid: boolean): string {
  const ids = incidentIds.slice(0, NAMED).map((id) => plain(id, 16));
  const more = incidentIds.length > NAMED ? ` and ${incidentIds.length - NAMED} more` : '';
  const hours = hoursSaid && gpuHours >= IN_HOURS ? numberText(gpuHours) : timeText(gpuHours);
  return `, and ${hours} counted under ${ids.join(', ')}${more}`;
}

/** Incidents that are named; a job that is hit by more at once is rare. */
const NAMED = 3;
const MONEY = { least: 2, most: 2 } as const;
