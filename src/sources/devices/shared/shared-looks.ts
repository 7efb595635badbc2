// What one host saw of a device, for the others of its rack: its last looks, as a file. Times are the holder's; how far his clock is
// from ours shows in when what he has just written is read.

import type { Component, ComponentType } from '../../../model/component.ts';
import { COMPONENT_TYPES } from '../../../model/component.ts';
import type { Attributes, AttributeValue } from '../../../model/event.ts';
import { isKind } from '../../../model/kind.ts';
import type { Discovery, EventInput, SampleBatch } from '../../../model/record.ts';
import type { Link, Relation } from '../../../model/topology.ts';
import { at, listAt, numberAt, textAt } from './json.ts';

export const SHARED_SCHEMA = 'faultline/shared-device/1';
/** Looks that a reader may be late by. */
export const KEPT_LOOKS = 10;
const MOST_SAMPLES = 4096;
const MOST_EVENTS = 64;
export const MOST_PARTS = 1024;
const MOST_ATTRIBUTES = 32;
/** Clocks of hosts that keep time over the network are closer than this; an event's interval takes it in. ms */
const SKEW_MS = 1000;
/** What may come out of the file of a device that several hosts share: nothing of a host itself. */
export interface SharedScope {
  readonly source: 'pdu' | 'bmc';
  readonly trust: SampleBatch['trust'];
  readonly types: ReadonlySet<string>;
  /** How the kinds of its events begin. */
  readonly kinds: string;
}

export const POWER: SharedScope = {
  source: 'pdu',
  trust: 'facility',
  types: new Set(['pdu', 'ups', 'pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet']),
  kinds: 'power.',
};
export const COOLING: SharedScope = { source: 'bmc', trust: 'bmc', types: new Set(['cdu']), kinds: 'cooling.' };

const RELATIONS: readonly Relation[] = ['feeds', 'contains'];

export interface SharedLook {
  readonly number: number;
  readonly keys: readonly string[];
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
  readonly events: readonly EventInput[];
}

export interface SharedLooks {
  readonly schema: typeof SHARED_SCHEMA;
  readonly host: string;
  /** Of the run that wrote it: numbers begin again with another. */
  readonly run: string;
  readonly writtenMs: number;
  /** Why the device does not answer the holder; null where it does. */
  readonly failure: { readonly code: string; readonly text: string } | null;
  readonly looks: readonly SharedLook[];
  readonly parts: readonly Discovery[];
}

/** Null for what is not one. `shiftMs`: the holder's times on our clock. */
export function readLooks(value: unknown, shiftMs: number, nowMs: number, scope: SharedScope): SharedLooks | null {
  const [host, run, writtenMs] = [textAt(value, 'host'), textAt(value, 'run'), numberAt(value, 'writtenMs')];
  if (textAt(value, 'schema') !== SHARED_SCHEMA || host === null || run === null || writtenMs === null) return null;
  const failure = at(value, 'failure');
  const [code, text] = [textAt(failure, 'code'), textAt(failure, 'text')];
  return {
    schema: SHARED_SCHEMA,
    host,
    run,
    writtenMs,
    failure: code === null || text === null || !/^FL\d{4}$/.test(code) ? null : { code, text },
    looks: listAt(value, 'looks', KEPT_LOOKS).flatMap((look) => lookOf(look, shiftMs, nowMs, scope)),
    parts: listAt(value, 'parts', MOST_PARTS).flatMap((part) => discoveryOf(part, scope)),
  };
}

export function samplesOf({ keys, timesMs, values }: SharedLook, { source, trust }: SharedScope): SampleBatch | null {
  return keys.length === 0 ? null : { source, trust, keys, timesMs, values };
}

/** Whether a component, or the key of a series, is one of those. */
export function isOf(text: string, { types }: SharedScope): boolean {
  return types.has(text.slice(0, text.indexOf('/')));
}

function lookOf(value: unknown, shiftMs: number, nowMs: number, scope: SharedScope): SharedLook[] {
  const number = numberAt(value, 'number');
  const [keys, timesMs, values] = ['keys', 'timesMs', 'values'].map((name) => listAt(value, name, MOST_SAMPLES));
  if (number === null || keys === undefined || timesMs === undefined || values === undefined) return [];
  if (keys.length !== timesMs.length || keys.length !== values.length) return [];
  const mine = (key: string): boolean => key.length <= 256 && isOf(key, scope);
  const good = keys.every((key) => typeof key === 'string' && mine(key));
  if (!good || ![...timesMs, ...values].every((one) => typeof one === 'number' && Number.isFinite(one))) return [];
  return [
    {
      number,
      keys: keys as readonly string[],
      timesMs: (timesMs as readonly number[]).map((ms) => ms + shiftMs),
      values: values as readonly number[],
      events: listAt(value, 'events', MOST_EVENTS).flatMap((event) => eventOf(event, shiftMs, nowMs, scope)),
    },
  ];
}

function eventOf(value: unknown, shiftMs: number, nowMs: number, scope: SharedScope): EventInput[] {
  const [kind, timeMs, component] = [
    textAt(value, 'kind'),
    numberAt(value, 'timeMs'),
    componentOf(at(value, 'component'), scope),
  ];
  if (kind === null || !kind.startsWith(scope.kinds) || !isKind(kind) || timeMs === null || component === null)
    return [];
  const state = textAt(value, 'state');
  const interval = at(value, 'interval');
  const [earliestMs, latestMs] = [numberAt(interval, 'earliestMs') ?? timeMs, numberAt(interval, 'latestMs') ?? timeMs];
  const severity = textAt(value, 'severity');
  const text = textAt(listAt(value, 'evidence', 1)[0], 'text');
  const shifted = Math.min(timeMs + shiftMs, nowMs);
  return [
    {
      kind,
      component,
      state: state === 'onset' || state === 'clear' ? state : 'point',
      timeMs: shifted,
      interval: {
        earliestMs: Math.min(earliestMs, latestMs) + shiftMs - SKEW_MS,
        latestMs: Math.min(latestMs + shiftMs + SKEW_MS, nowMs),
      },
      observedMs: nowMs,
      trust: scope.trust,
      source: scope.source,
      attributes: attributesOf(at(value, 'attributes')),
      evidence: text === null ? [] : [{ source: scope.source, timeMs: shifted, text }],
      ...(severity === 'info' || severity === 'warning' || severity === 'error' || severity === 'critical'
        ? { severity }
        : {}),
    },
  ];
}

function attributesOf(value: unknown): Attributes {
  if (typeof value !== 'object' || value === null) return {};
  const plain = (one: unknown): one is AttributeValue =>
    one === null || typeof one === 'boolean' || (typeof one === 'string' && one.length <= 256) || Number.isFinite(one);
  const entries = Object.entries(value).slice(0, MOST_ATTRIBUTES);
  return Object.fromEntries(entries.filter((entry): entry is [string, AttributeValue] => plain(entry[1])));
}

function componentOf(value: unknown, { types }: SharedScope): Component | null {
  const [type, id] = [textAt(value, 'type'), textAt(value, 'id')];
  if (type === null || id === null || !types.has(type) || !(COMPONENT_TYPES as readonly string[]).includes(type))
    return null;
  return { type: type as ComponentType, id };
}

function discoveryOf(value: unknown, scope: SharedScope): Discovery[] {
  const component = componentOf(at(value, 'component'), scope);
  if (component === null) return [];
  const links = listAt(value, 'links', MOST_PARTS).flatMap((link): Link[] => {
    const [from, to] = [componentOf(at(link, 'from'), scope), componentOf(at(link, 'to'), scope)];
    const relation = RELATIONS.find((one) => one === textAt(link, 'relation'));
    return from === null || to === null || relation === undefined ? [] : [{ from, to, relation, source: 'host' }];
  });
  return [{ component, links, attributes: attributesOf(at(value, 'attributes')) }];
}
