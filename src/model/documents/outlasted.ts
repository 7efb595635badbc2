// Outlasted as a part of `faultline/incident/1`: what is planned that an incident's root did not come back from.

import type { Component } from '../component.ts';
import type { Outlasted } from '../incident.ts';
import type { Kind } from '../kind.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export interface OutlastedDocument {
  readonly event_id: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly time: string;
}

export function outlastedToDocument({ eventId, kind, component, timeMs }: Outlasted): OutlastedDocument {
  return { event_id: eventId, kind, component, time: computedTime(timeMs) };
}

export function outlastedFrom(value: unknown): Outlasted {
  const from = read.fields(value);
  return {
    eventId: read.name(from.event_id),
    kind: read.kind(from.kind),
    component: read.componentOrNull(from.component),
    timeMs: read.timeMs(from.time),
  };
}
