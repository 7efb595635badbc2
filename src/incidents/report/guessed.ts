// Guessed: of a line that no rule knows only its words say what it is about. Whoever reads that looks first, and changes nothing for it.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

const LONGEST = 200;

/** Null where a rule read it. */
export function guessed({
  root,
  events,
  unconfirmed,
}: Pick<Incident, 'root' | 'events' | 'unconfirmed'>): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  if (own?.attributes.by_words !== true) return null;
  const what = unconfirmed === null || unconfirmed === '' ? 'the lines around it' : plain(unconfirmed, LONGEST);
  return {
    does: 'see whether it is so: no rule knows the line below, and its words alone say what it is about',
    now: `look at ${what}; change nothing before`,
    call: 'who runs what wrote the line',
  };
}
