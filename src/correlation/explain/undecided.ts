// Undecided: what came before a symptom and may be behind it, though less surely than can be claimed, and what would decide.

import catalog from '#catalog/decides.json' with { type: 'json' };
import { type Kind, kindInfo } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';
import { isExplaining, isSymptom } from '../graph/kind-roles.ts';
import { nameOf } from './plain-names.ts';
import type { Rival } from './rivals.ts';

const families = new Map<string, string>(Object.entries(catalog.families));

/** The strongest of what was seen that could be the cause of the symptom; null where nothing was, or the root is named. */
export function likelyOf(root: Condition, rivals: readonly Rival[]): Condition | null {
  if (!isSymptom(root.kind)) return null;
  return rivals.find((rival) => rival.ofRoot && mayBeNamed(rival.root))?.root ?? null;
}

function mayBeNamed({ kind }: Condition): boolean {
  return !isSymptom(kind) && !isExplaining(kind);
}

/** "link flap on node-3 nic 0000:40:00.0, or what was not seen here". */
export function eitherText(likely: Condition, host: string): string {
  return `${kindInfo(likely.kind).title} on ${nameOf(likely.component, host)}, or what was not seen here`;
}

/** Where to look to find out whether such a condition was the cause; empty where nothing is known of it. */
export function decidedBy(kind: Kind): string {
  return families.get(kind.split('.', 1)[0] ?? '') ?? '';
}
