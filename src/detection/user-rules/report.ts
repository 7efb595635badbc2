// Report: what a rule found, and the event that it becomes.

import { parseComponent } from '../../model/component.ts';
import type { AttributeValue, FaultEvent, Trust } from '../../model/event.ts';
import type { EventInput } from '../../model/record.ts';
import { ruleAttributes, type UserRule } from './user-rule.ts';

export interface Report {
  readonly rule: UserRule;
  /** Of the component, as text. */
  readonly place: string;
  readonly state: 'onset' | 'clear';
  readonly timeMs: number;
  readonly trust: Trust;
  /** From which it follows, oldest first. */
  readonly events: readonly FaultEvent[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

const MOST_EVIDENCE = 8;

/** What a user of the host could have written a part of counts as theirs. */
export function trustOf(events: readonly FaultEvent[]): Trust {
  return events.find(({ trust }) => trust === 'tenant')?.trust ?? events.at(-1)?.trust ?? 'system';
}

export function reportEvent(
  { rule, place, state, timeMs, trust, events, attributes }: Report,
  host: string,
): EventInput {
  const evidence = events.slice(-MOST_EVIDENCE).flatMap((event) => event.evidence.slice(0, 1));
  return {
    kind: rule.kind,
    component: parseComponent(place, host),
    severity: rule.severity,
    timeMs,
    observedMs: timeMs,
    trust,
    state,
    source: 'rules',
    attributes: { ...ruleAttributes(rule), ...attributes },
    evidence,
    discriminator: `${rule.name} ${place}`,
  };
}
