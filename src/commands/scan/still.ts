// Still: what several looks at a host, minutes apart, found each time is one state that lasts, rather than a fault at each look.

import { componentText } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';

/** Who looks into a fault looks again within this time; what is found longer after it may have begun again. */
const AGAIN_MS = 900_000;

/** A program that says one happening in two lines says the second one within this time. */
const SAID_AGAIN_MS = 30_000;

/** In the order of time, without what a second line only says again. A state that one look found stays what it was: whether it lasted, no look says. */
export function stillSo(inputs: readonly EventInput[]): EventInput[] {
  const lasting = new Set<EventInput>();
  const again = new Set<EventInput>();
  const before = new Map<string, EventInput>();
  for (const input of inputs) {
    if (input.looked !== true || (input.state ?? 'point') === 'clear') continue;
    const key = `${input.source} ${input.kind} ${input.component === null ? '' : componentText(input.component)}`;
    const last = before.get(key);
    if (last !== undefined && isSaidAgain(last, input)) {
      again.add(input);
      continue;
    }
    before.set(key, input);
    if (last === undefined || input.timeMs === last.timeMs || input.timeMs - last.timeMs > AGAIN_MS) continue;
    lasting.add(last);
    lasting.add(input);
  }
  const said = again.size === 0 ? inputs : inputs.filter((input) => !again.has(input));
  return said.map((input) => (lasting.has(input) ? { ...input, state: 'onset' } : input));
}

function isSaidAgain(last: EventInput, { attributes, timeMs }: EventInput): boolean {
  const isFirst = last.attributes?.said_again === undefined;
  return isFirst && attributes?.said_again === true && timeMs - last.timeMs <= SAID_AGAIN_MS;
}
