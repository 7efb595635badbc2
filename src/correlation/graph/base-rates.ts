// Base rates: how often each kind of cause stopped jobs elsewhere, from the counts of public reports in catalog/reports.json.

import catalog from '#catalog/reports.json' with { type: 'json' };
import { KINDS, type Kind, kindEntry } from '../../model/kind.ts';

export interface BaseRate {
  /** What the report calls it; several kinds can share it. */
  readonly what: string;
  /** Of all that the report counts, 0 to 1. */
  readonly share: number;
  /** "unexpected interruptions, Llama 3 405B". */
  readonly of: string;
}

const counted = new Map<string, BaseRate>();
for (const { title, what: all, of, counts } of Object.values(catalog.reports)) {
  for (const [what, count] of Object.entries(counts))
    counted.set(what, { what, share: count / of, of: `${all}, ${title}` });
}
const rates = new Map<Kind, BaseRate>();
for (const kind of KINDS) {
  const what = kindEntry(kind).base_rate;
  if (what === undefined) continue;
  const rate = counted.get(what);
  if (rate === undefined) throw new Error(`kind ${kind}: no report of catalog/reports.json counts "${what}"`);
  rates.set(kind, rate);
}

/** Null where no report counts such a cause: that is ignorance, not rarity. */
export function baseRate(kind: Kind): BaseRate | null {
  return rates.get(kind) ?? null;
}

/** "35.3 %". */
export function shareText({ share }: BaseRate): string {
  return `${(100 * share).toFixed(1)} %`;
}
