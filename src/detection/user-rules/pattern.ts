// Pattern: whether an event is one that a rule means, and what it is looked at together with.

import { matchesWildcard } from '../../helpers/wildcard.ts';
import { componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import { isUserKind } from '../../model/kind.ts';
import { compareSeverity } from '../../model/severity.ts';
import type { EventPattern, Grouping } from './user-rule.ts';

/** The end of something is not something that happened. */
export function fits(pattern: EventPattern, event: FaultEvent): boolean {
  const { kind, component, severity, state, attributes } = event;
  if (state === 'clear' || isUserKind(kind) || compareSeverity(severity, pattern.severity) < 0) return false;
  if (!pattern.kinds.some((one) => matchesWildcard(kind, one))) return false;
  const place = component === null ? '' : componentText(component);
  if (pattern.component !== null && !matchesWildcard(place, pattern.component)) return false;
  return Object.entries(pattern.where).every(([name, wanted]) =>
    matchesWildcard(Object.hasOwn(attributes, name) ? String(attributes[name] ?? '') : '', wanted),
  );
}

/** The component that stands for the group, as text; null for an event that is in none. */
export function groupOf(per: Grouping, { component, whose }: FaultEvent, host: string): string | null {
  if (per === 'host') return `host/${host}`;
  if (per === 'component') return component === null ? `host/${host}` : componentText(component);
  const job = component?.type === 'job' ? component.id : (whose?.[0]?.job ?? null);
  return job === null ? null : `job/${job}`;
}
