// What is wrong with a condition on the labels of incidents: a misspelt label or kind would fit nothing, or with != all.

import { didYouMean } from '../../helpers/did-you-mean.ts';
import { isKind, KINDS } from '../../model/kind.ts';
import type { Matcher } from '../../model/matcher.ts';

/** Continues the name of the condition; null where nothing is wrong. `known`: labels of incidents and of this host. */
export function matcherTrouble({ label, operator, value }: Matcher, known: readonly string[]): string | null {
  const trouble = labelTrouble(label, known);
  const isPattern = operator.endsWith('~');
  if (trouble !== null || label !== 'kind' || isPattern || isKind(value)) return trouble;
  const near = didYouMean(value, KINDS);
  return `names no kind. ${near === null ? 'docs/reference/kinds.md lists them' : `Did you mean: ${near}`}`;
}

export function labelTrouble(label: string, known: readonly string[]): string | null {
  if (known.includes(label)) return null;
  const near = didYouMean(label, known);
  return `has a label that no incident has. ${near === null ? `Known: ${known.join(', ')}` : `Did you mean: ${near}`}`;
}
