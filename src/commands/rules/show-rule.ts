// Show rule: what a rule of the site asks for, in words and as a document.

import { ruleLine } from '../../detection/rules/rule-text.ts';
import { titleOf } from '../../detection/user-rules/resolve.ts';
import type { EventPattern, UserRule } from '../../detection/user-rules/user-rule.ts';

export function ruleText(rule: UserRule): string {
  const advice = rule.advice === null ? '' : `\n  do: ${rule.advice}`;
  return `${rule.name}  ${rule.severity}: ${titleOf(rule)}\n  ${conditionText(rule)}${advice}\n  ${rule.origin}, ${rule.tests.length} tests\n`;
}

export function ruleDocument(rule: UserRule): object {
  const { name, kind, severity, advice, origin, tests } = rule;
  return {
    name,
    kind,
    severity,
    title: titleOf(rule),
    condition: conditionText(rule),
    advice,
    origin,
    tests: tests.length,
  };
}

function conditionText({ condition }: UserRule): string {
  switch (condition.is) {
    case 'events': {
      const { of, count, windowMs, per } = condition;
      const within = count === 1 ? '' : ` within ${windowMs / 1000} s`;
      return `${count} of ${patternText(of)}${within}, each ${per}`;
    }
    case 'threshold': {
      const { watches, condition: when } = ruleLine(condition.detector);
      const models = condition.models.length === 0 ? '' : `; only ${condition.models.join(', ')}`;
      return `${watches}: ${when}${models}`;
    }
    case 'no-events':
      return `no ${patternText(condition.of)} for ${condition.forMs / 1000} s, each ${condition.per}`;
    case 'no-series':
      return `no ${condition.quantity} of a ${condition.componentType} for ${condition.forMs / 1000} s, which had some before`;
  }
}

function patternText({ kinds, component, where, severity }: EventPattern): string {
  const conditions = [
    ...(component === null ? [] : [`of ${component}`]),
    ...Object.entries(where).map(([name, value]) => `${name}=${value}`),
    ...(severity === 'info' ? [] : [`${severity} or worse`]),
  ];
  return [kinds.join(' or '), ...conditions].join(' ');
}
