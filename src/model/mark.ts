// Mark: how injected and simulated incidents are marked in their titles.

import type { Explanation } from './explanation.ts';
import type { Incident } from './incident.ts';
import type { Made } from './made.ts';

/** The explanation as one of its kind. What was put in costs no GPU-hours. */
export function markExplanation(explanation: Explanation, made: Made | null): Explanation {
  if (made === null) return explanation;
  const impact = made === 'injected' ? explanation.impact.map(({ loss: _, ...one }) => one) : explanation.impact;
  return { ...explanation, impact, made, title: `[${made}] ${explanation.title}` };
}

/** `[injected] ` or `[simulated] `; empty for what is real. */
export function mark({ made }: Pick<Incident, 'made'>): string {
  return made === undefined ? '' : `[${made}] `;
}

/** The title without that, where the mark is shown next to it. */
export function bareTitle(incident: Pick<Incident, 'made' | 'title'>): string {
  const before = mark(incident);
  return incident.title.startsWith(before) ? incident.title.slice(before.length) : incident.title;
}
