// User rule: what a site asks for in its configuration, checked: the event that comes of it, and when.

import type { AttributeValue } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { Severity } from '../../model/severity.ts';
import type { DetectionRule } from '../rules/rule.ts';

/** Where it is written: "rules.d/site.yaml:12:5", and what is built in has "built in". */
export type Origin = string;

/** Events that a rule means. */
export interface EventPattern {
  /** `gpu.xid`, `gpu.*`; one of them fits. */
  readonly kinds: readonly string[];
  /** `gpu/0000:9b:00.0`, `gpu/*`; null: any. */
  readonly component: string | null;
  /** Attributes that must have such a value; `*` stands for any characters. */
  readonly where: Readonly<Record<string, string>>;
  /** This or worse. */
  readonly severity: Severity;
}

/** What is counted, or missed, together. */
export const GROUPINGS = ['component', 'host', 'job'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export type UserCondition =
  | {
      readonly is: 'events';
      readonly of: EventPattern;
      readonly count: number;
      readonly windowMs: number;
      readonly per: Grouping;
    }
  | { readonly is: 'threshold'; readonly detector: DetectionRule; readonly models: readonly string[] }
  | { readonly is: 'no-events'; readonly of: EventPattern; readonly forMs: number; readonly per: Grouping }
  | { readonly is: 'no-series'; readonly componentType: string; readonly quantity: string; readonly forMs: number };

export interface UserRule {
  readonly name: string;
  /** `user.<name>`; in the catalogue all of them are 'user.rule'. */
  readonly kind: Kind;
  readonly severity: Severity;
  readonly title: string | null;
  readonly advice: string | null;
  readonly condition: UserCondition;
  readonly tests: readonly RuleTest[];
  readonly origin: Origin;
}

/** One line of what a test gives: an event, or samples of a series. */
export interface TestInput {
  readonly atMs: number;
  readonly component: string | null;
  /** Null of samples. */
  readonly kind: Kind | null;
  readonly state: 'onset' | 'clear' | 'point';
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly severity: Severity | null;
  readonly job: string | null;
  /** Null of an event: the series of the rule where none is named. */
  readonly series: string | null;
  readonly value: number | null;
  readonly everyMs: number;
  readonly times: number;
  /** What the device is, for rules of a class of devices. */
  readonly model: string | null;
}

export interface RuleTest {
  readonly name: string;
  readonly given: readonly TestInput[];
  /** Until when time passes after the last of it. */
  readonly waitMs: number;
  readonly fires: number;
  readonly component: string | null;
  readonly firstByMs: number | null;
  readonly cleared: boolean | null;
  readonly origin: Origin;
}

/** What the attributes of its events have of a rule. */
export function ruleAttributes({
  name,
  title,
  advice,
}: Pick<UserRule, 'name' | 'title' | 'advice'>): Readonly<Record<string, string>> {
  return { rule: name, ...(title === null ? {} : { title }), ...(advice === null ? {} : { advice }) };
}
