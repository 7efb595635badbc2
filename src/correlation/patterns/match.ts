// Match: which named pattern an incident is, by its root and what followed; in part where a layer of it was not seen.

import { moreThanWritten } from '../../model/could-have-written.ts';
import type { Incident } from '../../model/incident.ts';
import type { Kind } from '../../model/kind.ts';
import { knownPatterns, patternsFrom } from './known-patterns.ts';
import type { Need, Pattern } from './patterns.ts';

export interface PatternMatch {
  readonly pattern: Pattern;
  /** `full`: cause and effect were both seen, those of hardware by more than what a user of the host could have written. */
  readonly confidence: 'full' | 'partial';
  /** What was not seen of it, in words. */
  readonly missing: readonly string[];
}

type Matched = Pick<Incident, 'root' | 'unconfirmed'> & {
  readonly chain: readonly { readonly eventId: string; readonly kind: Kind }[];
};

/** What a job says of itself needs no other witness: a user who makes it up deceives only themselves. */
const OWN = /^(?:job|process|net|service|pod)\./;

/** The pattern that fits best: whole before in part, then the one that asks for more, then a site's own, then the narrower one. Null where none fits. */
export function matchPattern(incident: Matched): PatternMatch | null {
  let best: PatternMatch | null = null;
  const candidates = patternsFrom(incident.root.kind);
  if (candidates.length === 0) return null;
  const others = new Set<Kind>();
  for (const { eventId, kind } of incident.chain) if (eventId !== incident.root.eventId) others.add(kind);
  for (const pattern of candidates) {
    const match = matchOne(pattern, incident, others);
    if (match !== null && (best === null || isBetter(match, best))) best = match;
  }
  return best;
}

/** Of an incident that names its pattern: how it fits. Null where it names none, or one that this release does not know. */
export function namedPattern(incident: Matched & Pick<Incident, 'pattern'>): PatternMatch | null {
  const pattern = incident.pattern === null ? undefined : knownPatterns().get(incident.pattern);
  if (pattern === undefined) return null;
  const others = new Set(
    incident.chain.filter(({ eventId }) => eventId !== incident.root.eventId).map(({ kind }) => kind),
  );
  return matchOne(pattern, incident, others) ?? { pattern, confidence: 'partial', missing: [] };
}

function matchOne(pattern: Pattern, { root, unconfirmed }: Matched, others: ReadonlySet<Kind>): PatternMatch | null {
  if (!pattern.requires.every((need) => isMet(need, root.kind, others))) return null;
  for (const kind of pattern.without) if (kind === root.kind || others.has(kind)) return null;
  const missing = pattern.completes.filter((need) => !isMet(need, root.kind, others)).map(({ why }) => why);
  if (pattern.advisory) missing.push('a proof: nothing that a host reads gives one');
  if (unconfirmed !== null && !OWN.test(root.kind)) missing.push(moreThanWritten(root.kind));
  return { pattern, confidence: missing.length === 0 ? 'full' : 'partial', missing };
}

function isMet({ kinds, orRoot }: Need, root: Kind, others: ReadonlySet<Kind>): boolean {
  if (orRoot && kinds.has(root)) return true;
  for (const kind of others) if (kinds.has(kind)) return true;
  return false;
}

function isBetter(one: PatternMatch, other: PatternMatch): boolean {
  if (one.confidence !== other.confidence) return one.confidence === 'full';
  const [a, b] = [one.pattern, other.pattern];
  if (a.requires.length !== b.requires.length) return a.requires.length > b.requires.length;
  if ((a.origin === undefined) !== (b.origin === undefined)) return a.origin !== undefined;
  return a.root.length < b.root.length;
}
