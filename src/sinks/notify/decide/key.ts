// Key: what a message is known by. It follows from the incident alone, so that a message which a kill makes be decided again has
// the key that it had, and one that says something else has another: a receiver that drops what it has drops no news.

import { createHash } from 'node:crypto';
import type { What } from '../notification.ts';
import type { Sent } from './sent-book.ts';
import type { View } from './view.ts';

const MOST_HASHES = 16;

export function keyOf(view: View, channel: string, what: What, before: Pick<Sent, 'hashes' | 'count'>): string {
  return [view.incident.id, channel, what, ...own(view, what, before)].join('-');
}

function own(view: View, what: What, { hashes, count }: Pick<Sent, 'hashes' | 'count'>): readonly (string | number)[] {
  const { reopened } = view.incident;
  const hash = hashOf(view);
  if (what === 'opened') return [reopened, hash];
  if (what === 'repeated') return [reopened, count];
  if (what !== 'revised') return [reopened];
  // It may have said the same before, with something else in between.
  return [hash, view.over ? `over-${reopened}` : hashes.filter((each) => each === hash).length];
}

/** The headlines that a channel heard of this incident, with this one. */
export function heardBefore(view: View, what: What, { hashes }: Pick<Sent, 'hashes'>): readonly string[] {
  return what === 'revised' ? [...hashes, hashOf(view)].slice(-MOST_HASHES) : hashes;
}

function hashOf({ headline }: View): string {
  return createHash('sha256').update(headline).digest('hex').slice(0, 8);
}
