// Traces text: which traces of a service show where the time of its slowest requests went.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { LISTED, listed } from './sentences.ts';

/** `llama-api: 4bf92f35…, 00aa…`: where the time of the slowest requests went; null where no trace is known. */
export function tracesText(incident: Incident): string | null {
  const found = worstTraces(incident).map(({ who, ids }) => `${who} ${ids.join(', ')}`);
  return found.length === 0 ? null : listed(found, '; ');
}

/** The ids of the worst traces, by the service that they are of. */
export function worstTraces({ impact }: Incident): { readonly who: string; readonly ids: readonly string[] }[] {
  return impact.flatMap(({ component, traces = [] }) => {
    const ids = traces.map(({ traceId }) => plain(traceId, 32)).slice(0, LISTED);
    return ids.length === 0 ? [] : [{ who: nameText(component), ids }];
  });
}
