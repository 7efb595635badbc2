// Deals scenarios to two halves by a fixed rule, so that what is calibrated on one is reported on the other.

import { createHash } from 'node:crypto';
import { fixedFor } from './first-contact.ts';
import type { CorpusScenario } from './scenario-family.ts';

/** Scenarios that nothing was tuned to, all of them kept apart but those that the engine was fixed for. */
const FIRST_CONTACT = 'first-contact';

type Named = Pick<CorpusScenario, 'family' | 'name'>;

/**
 * Names of the scenarios that nothing may be calibrated on. Within each family the scenarios are ordered by the hash of
 * their name and taken in turn, so both halves hold of every family the same number or one more. Which of the two gets
 * the odd one is drawn by the hash of the family's name. Neither order in the file nor any answer plays a part; adding a
 * scenario can move others of its family across.
 */
export function heldOut(scenarios: readonly Named[]): ReadonlySet<string> {
  const fixed = fixedFor();
  const families = Map.groupBy(scenarios, ({ family }) => family);
  return new Set(
    [...families].flatMap(([family, members]) => {
      if (family === FIRST_CONTACT) return members.map(({ name }) => name).filter((name) => !fixed.has(name));
      const first = digest(family).at(-1) ?? '';
      const offset = Number.parseInt(first, 16) % 2;
      const names = members.map(({ name }) => name).sort((a, b) => (digest(a) < digest(b) ? -1 : 1));
      return names.filter((_, i) => i % 2 === offset);
    }),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
