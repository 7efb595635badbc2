// Read matchers: the conditions of a silence as they were typed. A misspelt label or kind would hide nothing, or with != all.

import type { Config } from '../../daemon/config.ts';
import { didYouMean } from '../../helpers/did-you-mean.ts';
import { KINDS } from '../../model/kind.ts';
import { type Matcher, parseMatcher } from '../../model/matcher.ts';
import { LABEL_NAMES } from '../../sinks/message/labels.ts';
import { CommandError } from '../common/incident-context.ts';

/** Throws FL3402 with what to write instead. */
export function checkMatchers(texts: readonly string[], { alertmanager, notify }: Config): void {
  const own = { ...alertmanager?.labels, ...notify?.labels };
  const known = [...LABEL_NAMES, ...Object.keys(own)];
  for (const text of texts) {
    const matcher = parseMatcher(text);
    const error = 'error' in matcher ? matcher.error : troubleOf(matcher, known);
    if (error !== null) throw new CommandError(2, `FL3402 the condition ${JSON.stringify(text.slice(0, 80))} ${error}`);
  }
}

function troubleOf({ label, operator, value }: Matcher, known: readonly string[]): string | null {
  if (!known.includes(label)) {
    const near = didYouMean(label, known);
    const hint = near === null ? `Known: ${known.join(', ')}` : `Did you mean: ${near}`;
    return `has a label that no incident has. ${hint}`;
  }
  const isPattern = operator.endsWith('~');
  if (label !== 'kind' || isPattern || KINDS.some((kind) => kind === value)) return null;
  const near = didYouMean(value, KINDS);
  return `names no kind. ${near === null ? 'docs/reference/kinds.md lists them' : `Did you mean: ${near}`}`;
}
