// Splits scenarios by who wrote them, so that what is calibrated on those of one hand is reported on those of others.

import { fixedFor } from './first-contact.ts';
import type { CorpusScenario } from './scenario-family.ts';

/** Scenarios that others wrote without a look at the engine; kept apart but for those that the engine was fixed for. */
const FIRST_CONTACT = 'first-contact';

type Named = Pick<CorpusScenario, 'family' | 'name'>;

/** Names of the scenarios that nothing may be calibrated on. No answer plays a part but in what the engine was fixed for. */
export function heldOut(scenarios: readonly Named[]): ReadonlySet<string> {
  const fixed = fixedFor();
  return new Set(
    scenarios.filter(({ family, name }) => family === FIRST_CONTACT && !fixed.has(name)).map(({ name }) => name),
  );
}
