// Silence labels: a silence of the configuration on a label that no incident has would hide nothing, or with != everything.

import type { Findings } from '../../config/findings.ts';
import { parseMatcher } from '../../model/matcher.ts';
import { LABEL_NAMES } from './labels.ts';
import { matcherTrouble } from './matcher-trouble.ts';

interface Raw {
  readonly silences?: readonly { readonly match: readonly string[] }[];
  readonly notify?: { readonly labels?: readonly string[] };
  readonly alertmanager?: { readonly labels?: readonly string[] };
}

/** Reports each at its place; conditions of another form are reported where silences are read. */
export function checkSilenceLabels({ silences = [], notify, alertmanager }: Raw, findings: Findings): void {
  const own = [...(notify?.labels ?? []), ...(alertmanager?.labels ?? [])].map((text) => text.split('=', 1)[0] ?? '');
  const known = [...LABEL_NAMES, ...new Set(own)];
  for (const [at, { match }] of silences.entries()) {
    for (const [which, text] of match.entries()) {
      const matcher = parseMatcher(text);
      const trouble = 'error' in matcher ? null : matcherTrouble(matcher, known);
      if (trouble !== null) findings.problem('FL1106', `/silences/${at}/match/${which}`, trouble);
    }
  }
}
