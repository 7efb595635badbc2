// Happening: what one event, or several equal ones of siblings, say in a few words.

import { detailText, testText } from '../../model/detail-text.ts';
import type { FaultEvent } from '../../model/event.ts';
import { eventTitle } from '../../model/event-title.ts';
import type { Kind } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { together } from './layout.ts';
import { changeText, quantityText } from './quantity.ts';

function numbers(events: readonly FaultEvent[], name: string): number[] {
  return events.map((event) => event.attributes[name]).filter((value) => typeof value === 'number');
}

/** The events that tell a change of the quantity that the first such event names; others may tell none, or another. */
function tellers(events: readonly FaultEvent[], prefix: '' | 'also_'): readonly FaultEvent[] {
  const reported = events.filter(({ attributes }) => typeof attributes[`${prefix}before`] === 'number');
  const quantity = reported[0]?.attributes[`${prefix}quantity`];
  const unit = reported[0]?.attributes[`${prefix}unit`];
  const same = ({ attributes }: FaultEvent) =>
    attributes[`${prefix}quantity`] === quantity && attributes[`${prefix}unit`] === unit;
  return reported.filter(same);
}

function word(event: FaultEvent | undefined, name: string): string {
  const value = event?.attributes[name];
  return typeof value === 'string' ? plain(value, 48) : '';
}

function quantityName(name: string): string {
  return name.replaceAll('_', ' ').replace(/\b(sm|gpu|cpu|hbm|nvlink)\b/g, (short) => short.toUpperCase());
}

/** `121.4 → 108.2 V`; null where the events carry no numbers. `also_` names the second quantity of an event. */
export function changeOf(events: readonly FaultEvent[], prefix: '' | 'also_' = ''): string | null {
  const telling = tellers(events, prefix);
  const before = numbers(telling, `${prefix}before`);
  const after = numbers(telling, `${prefix}after`);
  if (before.length === 0 || after.length === 0) return null;
  return changeText(before, after, word(telling[0], `${prefix}unit`));
}

/** ` (limit 109.3 V)`, empty where there is none. */
export function limitOf(event: FaultEvent): string {
  const { limit } = event.attributes;
  return typeof limit === 'number' ? ` (limit ${quantityText(limit, word(event, 'unit'))})` : '';
}

/** The kind's title without the device that the name next to it says: "power brake asserted" of gpu 0. */
function titleOf(kind: Kind, first: FaultEvent | undefined): string {
  const title = eventTitle(kind, first?.attributes ?? {});
  return first?.component != null && kind.startsWith('gpu.') ? title.replace(/^GPU /, '') : title;
}

/** What happened, without to whom: `voltage 121.4 → 108.2 V`, `fell off the bus (XID 79)`; `withAlso` adds the second quantity. */
export function happeningText(kind: Kind, events: readonly FaultEvent[], withAlso = true): string {
  const [first] = events;
  const change = changeOf(events);
  const quantity = quantityName(word(tellers(events, '')[0], 'quantity'));
  const also = withAlso ? changeOf(events, 'also_') : null;
  const xid = first?.attributes.xid;
  const seen = change !== null && quantity !== '' ? `${quantity} ${together(change)}` : titleOf(kind, first);
  const detail = first === undefined ? null : (heatText(events) ?? detailText(kind, first.attributes, first.component));
  const count = events.reduce((sum, event) => sum + event.count, 0);
  // The device goes by no other name there: what it failed says more than that it is a fault.
  const test = first?.component === null ? testText(first.attributes) : null;
  if (test !== null) return test;
  return [
    seen,
    detail === null ? '' : `: ${plain(detail, 200)}`,
    typeof xid === 'number' ? ` (XID ${xid})` : '',
    also === null ? '' : `; ${quantityName(word(tellers(events, 'also_')[0], 'also_quantity'))} ${together(also)}`,
    first?.state === 'clear' ? ', over' : '',
    count > events.length ? `, ${count} times` : '',
  ].join('');
}

/** "at 61 to 66 °C": of several GPUs that are not equally hot; null for anything else. */
function heatText(events: readonly FaultEvent[]): string | null {
  const degrees = events.flatMap(({ kind, attributes: { temperature } }) =>
    kind === 'gpu.thermal_throttle' && typeof temperature === 'number' ? [temperature] : [],
  );
  const [least, most] = [Math.min(...degrees), Math.max(...degrees)];
  return degrees.length > 1 && least < most ? `at ${least} to ${most} °C` : null;
}
