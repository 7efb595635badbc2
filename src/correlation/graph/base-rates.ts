// Base rates: how often each kind of cause stopped jobs elsewhere, from public reports, read from catalog/base-rates.json.

import catalog from '#catalog/base-rates.json' with { type: 'json' };
import type { Kind } from '../../model/kind.ts';
import { expandKinds } from './cause-graph.ts';

export interface BaseRate {
  /** What the report calls it; several kinds can share it. */
  readonly what: string;
  /** Of all that the report counts, 0 to 1. */
  readonly share: number;
  /** "unexpected interruptions, Llama 3 405B". */
  readonly of: string;
}

const rates = new Map<Kind, BaseRate>();
for (const { what, count, source, kinds } of catalog.rows) {
  const report = (catalog.sources as Record<string, (typeof catalog.sources)['llama3'] | undefined>)[source]; // by name
  if (report === undefined) throw new Error(`catalog/base-rates.json: no source ${source}`);
  const rate = { what, share: count / report.of, of: `${report.what}, ${report.title}` };
  for (const kind of expandKinds(kinds)) rates.set(kind, rate);
}

/** Null where no report counts such a cause: that is ignorance, not rarity. */
export function baseRate(kind: Kind): BaseRate | null {
  return rates.get(kind) ?? null;
}

/** "35.3 %". */
export function shareText({ share }: BaseRate): string {
  return `${(100 * share).toFixed(1)} %`;
}
