// Others' heat: of a GPU that slows down by its heat, how warm the other GPUs are that the same report shows.

import type { EventInput } from '../../model/record.ts';
import { logOf } from './found-events.ts';
import type { Readings } from './readings.ts';

const OF_HEAT = /^gpu\.(?:thermal_throttle|overtemp|hw_slowdown)$/;

/** With `hottest_other`, °C, and `other_gpus`, how many there are; an event without a temperature, or a report of one GPU alone, as it is. */
export function withOthersHeat(
  events: readonly EventInput[],
  { readings }: Pick<Readings, 'readings'>,
): readonly EventInput[] {
  return events.map((event) => {
    const { kind, component, attributes = {} } = event;
    if (!OF_HEAT.test(kind) || component?.type !== 'gpu' || typeof attributes.temperature !== 'number') return event;
    const log = logOf(event);
    const others = new Map<string, number>();
    for (const { input, component: of, quantity, value } of readings)
      if (
        input === log &&
        quantity === 'temperature' &&
        value !== null &&
        of.startsWith('gpu/') &&
        of !== `gpu/${component.id}`
      )
        // biome-ignore format: one condition
        others.set(of, value);
    if (others.size === 0) return event;
    const more = { hottest_other: Math.max(...others.values()), other_gpus: others.size };
    return { ...event, attributes: { ...attributes, ...more } };
  });
}
