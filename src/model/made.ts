// Made: whether events and incidents were injected or simulated, and how they are marked.

import type { AttributeValue, FaultEvent } from './event.ts';
import type { EventInput } from './record.ts';

/** Put in on request, or seen in a simulated rack. */
export const MADE = ['injected', 'simulated'] as const;
export type Made = (typeof MADE)[number];

/** Whether an event was put in: then nothing may be counted or concluded from it about the hardware. */
export function isInjected({ attributes }: Pick<FaultEvent, 'attributes'>): boolean {
  return attributes.injected === true;
}

/** What was put in never shares its id with what is real, however alike the two are. */
export function apart(input: EventInput, made: Made | null): EventInput {
  return made === 'injected' ? { ...input, discriminator: `injected ${input.discriminator ?? ''}` } : input;
}

/** The event as one of its kind; what a source says of this itself does not count. */
export function markEvent(event: FaultEvent, made: Made | null): FaultEvent {
  const claims = MADE.some((word) => word in event.attributes);
  if (made === null && !claims) return event;
  const own = Object.entries(event.attributes).filter(([name]) => !MADE.some((word) => word === name));
  const attributes: Record<string, AttributeValue> = Object.fromEntries(own);
  if (made !== null) attributes[made] = true;
  return { ...event, attributes };
}

/** The attributes by which exports mark what is made up; nothing for what is real. */
export function madeAttributes(made: Made | null | undefined): Readonly<Record<string, true>> {
  return made === null || made === undefined ? {} : { [`faultline.${made}`]: true };
}

/** Of an event, as `madeAttributes`. */
export function madeOf({ attributes }: Pick<FaultEvent, 'attributes'>): Made | null {
  return MADE.find((word) => attributes[word] === true) ?? null;
}
