// One line for a group of like events: which devices, what changed, before → after.

import { happeningText } from '../../incidents/report/happening.ts';
import { indexText, nameOf } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';

const MAX_LENGTH = 92;

/** `events` are of one kind and state; at least one. */
export function eventLine(events: readonly FaultEvent[]): string {
  const [first] = events;
  if (first === undefined) return '';
  const line = `▼ ${devices(events)}: ${happeningText(first.kind, events)}`;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** "node-3 gpu 0…7"; what shares no name with the first is counted. */
function devices(events: readonly FaultEvent[]): string {
  const names = events.flatMap(({ component }) => (component === null ? [] : [nameOf(component)]));
  const [first] = names;
  if (first === undefined) return 'device not named';
  const siblings = names.filter(({ group }) => group === first.group);
  const indexes = indexText(siblings.map(({ index }) => index));
  const others = new Set(names.map(({ group }) => group)).size - 1;
  return [first.group, indexes, others > 0 ? `and ${others} more` : ''].filter((word) => word !== '').join(' ');
}
