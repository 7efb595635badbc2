// In force: the built-in detectors with the limits that a site gave them: for all devices or for some models, or muted.

import type { Severity } from '../../model/severity.ts';
import { DETECTION_RULES } from '../rules/detectors.ts';
import type { DetectionRule } from '../rules/rule.ts';
import { changedSpec, type RawLimits } from './resolve-detector.ts';
import type { Origin } from './user-rule.ts';

export const BUILT_IN = 'built in';

/** One change, as it was written. */
export interface Change {
  readonly name: string;
  readonly enabled: boolean;
  readonly models: readonly string[];
  readonly severity: Severity | null;
  readonly limits: RawLimits;
  readonly origin: Origin;
  readonly report: (key: string | null, text: string) => void;
}

/** A detector as it runs, or does not. */
export interface InForce {
  readonly rule: DetectionRule;
  /** Of the devices that it is for; empty: all that no other entry of its name is for. */
  readonly models: readonly string[];
  readonly enabled: boolean;
  readonly origin: Origin;
}

export const UNCHANGED: readonly InForce[] = DETECTION_RULES.map((rule) => ({
  rule,
  models: [],
  enabled: true,
  origin: BUILT_IN,
}));

/** The built-in set with these changes; of two for the same devices the later one counts. */
export function changedRules(changes: readonly Change[]): readonly InForce[] {
  if (changes.length === 0) return UNCHANGED;
  return UNCHANGED.flatMap((one) => {
    const own = changes.filter(({ name }) => name === one.rule.spec.name);
    const forAll = own.filter(({ models }) => models.length === 0).at(-1);
    const forSome = own.filter(({ models }) => models.length > 0);
    const base = forAll === undefined ? one : changed(one, forAll, one.rule.spec.name);
    return [base, ...forSome.map((change, i) => changed(one, change, `${one.rule.spec.name}@${i + 1}`))];
  });
}

/** `name`: each entry is a detector of its own in native code. */
function changed(one: InForce, { limits, severity, models, enabled, origin, report }: Change, name: string): InForce {
  const spec = changedSpec(one.rule.spec, limits, report) ?? one.rule.spec;
  const graver = severity === null ? {} : { severity };
  return { rule: { ...one.rule, ...graver, spec: { ...spec, name } }, models, enabled, origin };
}
