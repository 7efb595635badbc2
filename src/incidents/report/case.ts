// Case: how a vendor is asked for a part; one of GPUs asks for what its own driver knows first.

import type { ComponentType } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';

const OF_DRIVER: ReadonlySet<ComponentType | undefined> = new Set(['gpu', 'nvlink', 'nvswitch']);

/** In the placeholders of a step. `before`: "CASE", or "then CASE" behind another step. */
export function caseText({ action: { target } }: Incident, before: string): string {
  if (OF_DRIVER.has(target?.type)) return 'SAVEopen a case for % with that and FILE';
  return before.replace('CASE', 'open a case for % with FILE');
}
