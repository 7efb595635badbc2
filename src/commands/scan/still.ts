// Still: what several looks at a host, minutes apart, found each time is one state that lasts, rather than a fault at each look.

import { componentText } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';

/** Who looks into a fault looks again within this time; what is found longer after it may have begun again. */
const AGAIN_MS = 900_000;

/** In the order of time. A state that one look found stays what it was: whether it lasted, no look says. */
export function stillSo(inputs: readonly EventInput[]): EventInput[] {
  const lasting = new Set<EventInput>();
  const before = new Map<string, EventInput>();
  for (const input of inputs) {
    if (input.looked !== true || (input.state ?? 'point') === 'clear') continue;
    const key = `${input.source} ${input.kind} ${input.component === null ? '' : componentText(input.component)}`;
    const last = before.get(key);
    before.set(key, input);
    if (last === undefined || input.timeMs === last.timeMs || input.timeMs - last.timeMs > AGAIN_MS) continue;
    lasting.add(last);
    lasting.add(input);
  }
  return inputs.map((input) => (lasting.has(input) ? { ...input, state: 'onset' } : input));
}
