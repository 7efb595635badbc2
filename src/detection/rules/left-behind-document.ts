// What LeftBehind leaves for the next run of the daemon: settings that were changed, and declared work, as JSON and back.

import type { Component } from '../../model/component.ts';
import * as read from '../../model/documents/fields.ts';
import type { Attributes, AttributeValue, Trust } from '../../model/event.ts';
import type { EventInput } from '../../model/record.ts';
import { SEVERITIES } from '../../model/severity.ts';

export interface Changed {
  readonly event: EventInput;
  /** When it was set back; null while it is changed. */
  backMs: number | null;
  reported: boolean;
  /** An earlier run saw it set: what is read now says whether it is still so. */
  readonly isRestored?: boolean;
}

export interface Plan {
  readonly component: Component;
  readonly beganMs: number;
  /** Null while it is under way. */
  endedMs: number | null;
  /** An earlier run heard of it, and this one has not heard that it continues. */
  unheard?: boolean;
}

const TRUSTS: readonly Trust[] = ['kernel', 'driver', 'bmc', 'facility', 'system', 'tenant'];

/** A time of that run by the clock of this one; null where it cannot be placed. */
type Place = (timeMs: number) => number | null;

/** The newest `most` that can be understood. */
export function itemsOf<T>(items: readonly unknown[], most: number, from: (item: unknown) => T): NonNullable<T>[] {
  return items.slice(-most).flatMap((item) => read.orNull(() => from(item)) ?? []) as NonNullable<T>[]; // null items are dropped
}

export function changeToDocument({ event, backMs, reported }: Changed): object {
  const { kind, component, severity, timeMs, trust, source, attributes, discriminator } = event;
  return {
    kind,
    component,
    severity,
    time_ms: timeMs,
    trust,
    source,
    attributes,
    discriminator,
    back_ms: backMs,
    reported,
  };
}

/** Null where its time cannot be placed. */
export function changeFrom(item: unknown, place: Place): Changed | null {
  const of = read.fields(item);
  const timeMs = place(read.number(of.time_ms));
  if (timeMs === null) return null;
  const backMs = read.numberOrNull(of.back_ms);
  const event: EventInput = {
    kind: read.kind(of.kind),
    component: read.component(of.component),
    ...(of.severity === undefined ? {} : { severity: read.oneOf(of.severity, SEVERITIES) }),
    timeMs,
    observedMs: timeMs,
    trust: read.oneOf(of.trust, TRUSTS),
    source: read.text(of.source),
    state: 'onset',
    attributes: attributesOf(of.attributes),
    ...(of.discriminator === undefined ? {} : { discriminator: read.text(of.discriminator) }),
  };
  return { event, backMs: backMs === null ? null : place(backMs), reported: of.reported === true, isRestored: true };
}

export function planToDocument({ component, beganMs, endedMs }: Plan): object {
  return { component, began_ms: beganMs, ended_ms: endedMs };
}

/** Null where its time cannot be placed. */
export function planFrom(item: unknown, place: Place): Plan | null {
  const of = read.fields(item);
  const beganMs = place(read.number(of.began_ms));
  const endedMs = read.numberOrNull(of.ended_ms);
  if (beganMs === null) return null;
  return {
    component: read.component(of.component),
    beganMs,
    endedMs: endedMs === null ? null : place(endedMs),
    unheard: true,
  };
}

function attributesOf(value: unknown): Attributes {
  const known: Record<string, AttributeValue> = {};
  for (const [name, one] of Object.entries(read.fields(value ?? {})))
    if (one === null || ['string', 'number', 'boolean'].includes(typeof one)) known[name] = one as AttributeValue; // by its type, above
  return known;
}
