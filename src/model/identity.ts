// Identity: ids that are the same for the same input, on every run.

import { hash } from 'node:crypto';
import type { Component } from './component.ts';
import { componentText } from './component.ts';
import type { FaultEvent } from './event.ts';

/** 12 hex digits over the parts; stable across runs, hosts and versions. */
export function stableId(...parts: readonly (string | number)[]): string {
  let text = '';
  for (const part of parts) text += `${String(part).length}:${part};`;
  return hash('sha256', text, 'hex').slice(0, 12);
}

/**
 * The id of an event: host, source, kind, component, state and source time to the microsecond; `discriminator` keeps
 * apart what would otherwise be equal (a kernel log sequence number, a line offset).
 */
export function eventId(
  host: string,
  event: Pick<FaultEvent, 'source' | 'kind' | 'state' | 'timeMs'> & { component: Component | null },
  discriminator: string | number = '',
): string {
  const component = event.component === null ? '' : componentText(event.component);
  return stableId(host, event.source, event.kind, component, event.state, event.timeMs.toFixed(3), discriminator);
}

const RESTORED = 'incident:';

/** Stands for the first event of an incident that an earlier run opened: that event need not be known any more. */
export function restoredFirstEvent(id: string): string {
  return `${RESTORED}${id}`;
}

/** Incident id: a hash of host and first event, 12 hex digits; people use the first six. A restored one keeps its id. */
export function incidentId(host: string, firstEventId: string): string {
  if (firstEventId.startsWith(RESTORED)) return firstEventId.slice(RESTORED.length);
  return stableId('incident', host, firstEventId);
}
