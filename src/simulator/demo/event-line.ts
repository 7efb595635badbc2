// One line for a group of like events: which devices, what changed, before → after.

import type { FaultEvent } from '../../model/event.ts';
import { kindInfo } from '../../model/kind.ts';
import type { ScenarioPlan } from '../scenario/plan.ts';
import { namesText } from './names.ts';

const MAX_LENGTH = 92;

/** `events` are of one kind and state; at least one. */
export function eventLine(events: readonly FaultEvent[], plan: ScenarioPlan): string {
  const [first] = events;
  if (first === undefined) return '';
  const components = events.flatMap(({ component }) => (component === null ? [] : [component]));
  const mark = first.state === 'clear' ? '▲' : '▼';
  const title = first.state === 'clear' ? `${kindInfo(first.kind).title} is over` : kindInfo(first.kind).title;
  const number = first.attributes.xid;
  const said = [typeof number === 'number' ? `${title} (XID ${number})` : title, change(first)].filter(
    (part) => part !== '',
  );
  const line = `${mark} ${namesText(components, plan)}: ${said.join(', ')}`;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

function change(event: FaultEvent): string {
  const { attributes } = event;
  const own = values(attributes.before, attributes.after, attributes.unit);
  if (own !== '') return own;
  const also = values(attributes.also_before, attributes.also_after, attributes.also_unit);
  return also === '' ? '' : `${String(attributes.also_quantity).replaceAll('_', ' ')} ${also}`;
}

function values(before: unknown, after: unknown, unit: unknown): string {
  if (typeof before !== 'number' || typeof after !== 'number' || typeof unit !== 'string') return '';
  const [scale, shownUnit] = unit === 'Hz' ? [1e-6, 'MHz'] : unit === 's' ? [1000, 'ms'] : [1, unit];
  const shown = (value: number) => {
    const scaled = value * scale;
    return scaled.toLocaleString('en-US', { maximumFractionDigits: Math.abs(scaled) < 200 ? 1 : 0 });
  };
  return `${shown(before)} → ${shown(after)} ${shownUnit}`;
}
