// Context book: which incident an event belongs to, so that its log record carries the ids of trace and span.

import { remember } from '../../../helpers/remember.ts';
import { componentText } from '../../../model/component.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { ChainLink, Incident } from '../../../model/incident.ts';
import { type Made, madeOf } from '../../../model/made.ts';
import { spanIdOf } from '../../../model/trace.ts';

export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

const MOST = 8192;

export class ContextBook {
  readonly #byEvent = new Map<string, TraceContext>();
  /** Kind and component of links: the clear of a condition has an id of its own. */
  readonly #byCondition = new Map<string, TraceContext>();

  incident({ id, traceId, chain, made }: Incident): void {
    for (const link of chain) {
      const context = { traceId, spanId: spanIdOf(id, link.eventId) };
      remember(this.#byEvent, link.eventId, context, MOST);
      remember(this.#byCondition, condition(link, made), context, MOST);
    }
  }

  /** Null while no incident has taken the event up. */
  of(event: FaultEvent): TraceContext | null {
    const own = this.#byEvent.get(event.id);
    if (own !== undefined) return own;
    return event.state === 'clear' ? (this.#byCondition.get(conditionOf(event)) ?? null) : null;
  }
}

/** What an onset and its clear have in common; what was put in has nothing in common with what is real. */
export function condition({ kind, component }: Pick<ChainLink, 'kind' | 'component'>, made?: Made | null): string {
  return `${made ?? ''} ${kind} ${component === null ? '' : componentText(component)}`;
}

export function conditionOf(event: FaultEvent): string {
  return condition(event, madeOf(event));
}
