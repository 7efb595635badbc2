// Names: components and numbers as people write them: "node-3 gpu 3", "pdu-b phase 1", "412 → 897 ms".

import type { Component } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import { placedByPod } from '../../model/detail-text.ts';
import type { Attributes } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { saidDevice } from '../../model/said-device.ts';
import { isStandIn } from '../../model/unnamed-host.ts';

/** A condition, as far as its first line tells what it calls the device. */
interface Said {
  readonly kind: Kind;
  readonly first: { readonly attributes: Attributes };
}

const LONGEST_NAME = 80;
/** A revision names the same few components that the one before it did. */
const names = new WeakMap<Component, { readonly host: string; readonly name: string }>();

/** `of`: what is said of it; its line may call a device by a name other than an address. */
export function nameOf(component: Component | null, host: string, of: Said | null = null): string {
  if (component === null) {
    const what = of?.kind.startsWith('nic.') === true ? 'port' : 'device';
    return (of === null ? null : saidDevice(of.kind, of.first.attributes)) ?? `a ${what} that the source does not name`;
  }
  const pod = of === null ? null : placedByPod(of.kind, of.first.attributes, component);
  if (pod !== null) return pod;
  // What a cluster says of itself was saved on any machine.
  if (of?.first.attributes.file_system === 'ceph' && 'check' in of.first.attributes && isStandIn(component))
    return 'the Ceph cluster';
  const known = names.get(component);
  if (known?.host === host) return known.name;
  const name = nameText(component, host).slice(0, LONGEST_NAME);
  names.set(component, { host, name });
  return name;
}

export interface Change {
  readonly quantity: string;
  readonly before: number;
  readonly after: number;
  readonly unit: string;
}

/** Before → after as an event reports it, in the unit that reads best; null when it has none. */
export function changeOf(attributes: Attributes): Change | null {
  const { before, after, unit, quantity } = attributes;
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  const name = typeof quantity === 'string' ? quantity.slice(0, LONGEST_NAME) : 'value';
  const given = typeof unit === 'string' ? unit.slice(0, 16) : '';
  const big = Math.max(Math.abs(before), Math.abs(after));
  if (given === 's' && big < 10) return { quantity: name, before: before * 1000, after: after * 1000, unit: 'ms' };
  if (given === 'Hz' && big >= 1e6) return { quantity: name, before: before / 1e6, after: after / 1e6, unit: 'MHz' };
  return { quantity: name, before, after, unit: given === 'Cel' ? '°C' : given };
}

/** "121.4 → 108.2 V". */
export function changeText(change: Change): string {
  return `${numberText(change.before)} → ${numberText(change.after)} ${change.unit}`.trimEnd();
}

/** Where numbers end that are written digit by digit. */
const MOST_DIGITS = 1e21;

/**
 * Four significant digits at most where there is a fraction, thousands apart. By hand: the first number that Intl writes
 * takes 11 ms, which the first incident would wait for, and 8 MiB.
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= MOST_DIGITS) return String(value);
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
  if (Math.abs(rounded) >= 1000) return String(rounded).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return (Number(rounded.toFixed(6)) + 0).toFixed(6).replace(/\.?0+$/, ''); // + 0: no minus before nothing
}
