// Show detectors: every detector with the limit that is in force, for which devices, and where it was set.

import type { DetectionRule } from '../../detection/rules/rule.ts';
import { ruleLine } from '../../detection/rules/rule-text.ts';
import { BUILT_IN, type InForce } from '../../detection/user-rules/in-force.ts';
import type { RulesConfig } from '../../detection/user-rules/index.ts';

/** The detectors of the configuration, those of its rules at the end. */
function allOf({ detectors, rules }: RulesConfig): readonly InForce[] {
  const own = rules.flatMap(({ condition, origin }): InForce[] =>
    condition.is === 'threshold' ? [{ rule: condition.detector, models: condition.models, enabled: true, origin }] : [],
  );
  return [...detectors, ...own];
}

export function detectorLines(config: RulesConfig): readonly (DetectionRule & {
  readonly enabled: boolean;
  readonly models: readonly string[];
  readonly origin: string;
})[] {
  return allOf(config).map(({ rule, models, enabled, origin }) => ({ ...rule, enabled, models, origin }));
}

/** A line for what and when, one for the event, and where limit and source come from. */
export function detectorsText(config: RulesConfig): string {
  return allOf(config)
    .map(({ rule, models, enabled, origin }) => {
      const { name, type, watches, condition, event, source } = ruleLine(rule);
      const only = models.length === 0 ? '' : `  only ${models.join(', ')}`;
      const set = origin === BUILT_IN ? '' : `\n  set in: ${origin}`;
      const off = enabled ? '' : '  off';
      return `${name}  ${type}${off}${only}\n  ${watches}: ${condition}\n  → ${event}\n  source: ${source}${set}\n`;
    })
    .join('\n');
}
