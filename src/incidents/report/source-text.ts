// Source text: who reported something, as the source itself puts it. It knows all sources: what a list needs is in other files.

import type { Evidence } from '../../model/event.ts';
import { plain } from '../../model/plain.ts';
import { sourceNamed } from '../../sources/named.ts';
import { listed } from './sentences.ts';

/** Events that follow from others, which no source reports. */
const INFERRED = 'correlation';

/** As the source itself puts it; of anything else its name. */
export function sourceText(source: string): string {
  if (source === INFERRED) return 'inferred';
  return sourceNamed(source)?.reads ?? plain(source, 32);
}

export function evidenceText(evidence: readonly Evidence[]): string {
  const counts = new Map<string, number>();
  for (const { source } of evidence) counts.set(sourceText(source), (counts.get(sourceText(source)) ?? 0) + 1);
  const items = evidence.length === 1 ? '1 item' : `${evidence.length} items`;
  const sources = listed(
    [...counts].map(([source, count]) => `${source} ${count}`),
    ', ',
  );
  return sources === '' ? items : `${items} (${sources})`;
}
