// Alert rules: for Prometheus, one a pattern, firing while an incident of it is open, with what to do and a link to the runbook.

import { stringify } from 'yaml';
import type { Pattern } from '../../correlation/patterns/patterns.ts';
import { patternDocument } from './pattern-document.ts';

const NOTE = '# Made by: faultline patterns --rules. Checked with promtool; change the patterns, not this file.\n';

const PATHS =
  '# Each runbook_url is a path of the installation; for links, make them with --runbooks and the address of docs/.\n';

/** `runbooks`: address under which docs/ is served; null: the links are paths in the installation. */
export function alertRules(patterns: readonly Pattern[], runbooks: string | null): string {
  const base = runbooks === null ? '' : `${runbooks.replace(/\/+$/, '')}/`;
  const rules = patterns.map((pattern) => ({
    alert: `Faultline${pattern.id.split('_').map(capital).join('')}`,
    expr: `faultline_patterns_open{pattern="${pattern.id}", injected=""} > 0`,
    labels: { source: 'faultline' },
    annotations: {
      summary: `${pattern.headline} on {{ $labels.instance }}`,
      description: pattern.about,
      remediation: pattern.remediation,
      runbook_url:
        base === '' ? patternDocument(pattern).runbook : patternDocument(pattern).runbook.replace(/^docs\//, base),
    },
  }));
  return (
    (base === '' ? NOTE + PATHS : NOTE) +
    stringify({ groups: [{ name: 'faultline-patterns', rules }] }, { lineWidth: 0 })
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
