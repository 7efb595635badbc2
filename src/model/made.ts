// Made: what stands behind events and incidents that nothing real is behind, and how they are marked.

import type { AttributeValue, FaultEvent } from './event.ts';
import type { Explanation } from './explanation.ts';
import type { Incident } from './incident.ts';
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

/** The words by which exports tell what is made up; nothing for what is real. */
export function madeAttributes(made: Made | null | undefined): Readonly<Record<string, true>> {
  return made === null || made === undefined ? {} : { [`faultline.${made}`]: true };
}

/** Of an event, as `madeAttributes`. */
export function madeOf({ attributes }: Pick<FaultEvent, 'attributes'>): Made | null {
  return MADE.find((word) => attributes[word] === true) ?? null;
}

/** The explanation as one of its kind. What was put in takes no GPU-hours from anybody. */
export function markExplanation(explanation: Explanation, made: Made | null): Explanation {
  if (made === null) return explanation;
  const impact = made === 'injected' ? explanation.impact.map(({ loss: _, ...one }) => one) : explanation.impact;
  return { ...explanation, impact, made, title: `[${made}] ${explanation.title}` };
}

/** `[injected] ` or `[simulated] `; empty for what is real. */
export function mark({ made }: Pick<Incident, 'made'>): string {
  return made === undefined ? '' : `[${made}] `;
}

/** The title without that, where the mark stands beside it. */
export function bareTitle(incident: Pick<Incident, 'made' | 'title'>): string {
  const before = mark(incident);
  return incident.title.startsWith(before) ? incident.title.slice(before.length) : incident.title;
}
