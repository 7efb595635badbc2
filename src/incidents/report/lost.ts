// Lost: the GPU-hours that an incident took, and what they cost, in words.

import { lostOf } from '../../model/gpu-hours.ts';
import type { Incident } from '../../model/incident.ts';
import { together } from './layout.ts';
import { plain } from './plain.ts';
import { numberText } from './quantity.ts';

/** Less than half a minute of one GPU is not worth a word. */
const LEAST_HOURS = 1 / 120;

/** `≈ 3.4 GPU-hours so far, 8.50 EUR`; null where none are known or worth telling. */
export function lostText(incident: Incident, nowMs: number): string | null {
  const lost = lostOf(incident, nowMs);
  if (lost === null || lost.gpuHours < LEAST_HOURS) return null;
  const { gpuHours, cost } = lost;
  const so = incident.state === 'open' ? ' so far' : '';
  const money = cost === null ? '' : `, ${cost.amount.toLocaleString('en-US', MONEY)} ${plain(cost.currency, 8)}`;
  return together(`≈ ${numberText(gpuHours)} GPU-hours${so}${money}`);
}

const MONEY = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
