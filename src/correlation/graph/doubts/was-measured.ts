// Was measured: words that guess at full memory may be about something else; a reading of it is not.

import { onlyTenant } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';

const MEASURED = 0.1;

export const wasMeasured: Doubting = (_cause, effect) =>
  onlyTenant(effect) ? null : { code: 'was_measured', factor: MEASURED, why: 'it was measured, and is not a guess' };
