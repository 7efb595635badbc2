// Read matchers: the conditions of a silence as they were typed. A misspelt label or kind would hide nothing, or with != all.

import type { Config } from '../../daemon/config.ts';
import { parseMatcher } from '../../model/matcher.ts';
import { LABEL_NAMES } from '../../sinks/message/labels.ts';
import { matcherTrouble } from '../../sinks/message/matcher-trouble.ts';
import { CommandError } from '../common/incident-context.ts';

/** Throws FL3402 with what to write instead. */
export function checkMatchers(texts: readonly string[], { alertmanager, notify }: Config): void {
  const own = { ...alertmanager?.labels, ...notify?.labels };
  const known = [...LABEL_NAMES, ...Object.keys(own)];
  for (const text of texts) {
    const matcher = parseMatcher(text);
    const error = 'error' in matcher ? matcher.error : matcherTrouble(matcher, known);
    if (error !== null) throw new CommandError(2, `FL3402 the condition ${JSON.stringify(text.slice(0, 80))} ${error}`);
  }
}
