// Wrong reading: a phase that shows exactly zero for a moment. It is a mistake of the card; power flows on.

import type { PlannedChange } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';

/** As long as a reading of exactly zero can be a mistake of the card: an answer or two. */
const LONGEST_MS = 5000;

export function isWrongReading(change: PlannedChange, { steps }: Pick<ScenarioPlan, 'steps'>): boolean {
  if (change.type !== 'pdu_voltage' || change.to > 0) return false;
  const forMs = steps.find((step) => step.change === change)?.forMs ?? null;
  return forMs !== null && forMs <= LONGEST_MS;
}
