// Silences of the configuration: the same as those by command, kept in a file.

import { makeNote } from '../model/documents/note.ts';
import { parseMatcher } from '../model/matcher.ts';
import { LONGEST_NAME, LONGEST_NOTE, MOST_MATCHERS, MOST_SILENCES, type Silence } from '../model/note.ts';
import { parseTime } from '../model/time.ts';
import { type FromSchema, item, list } from './schema-parts.ts';
import type { Resolving } from './section.ts';

export const SILENCES = list(
  'What operators do not want to hear of, though it is watched and kept. Also by command: faultline silence add.',
  item(
    {
      match: {
        type: 'array',
        description:
          'Conditions on labels that must all hold: severity, kind, component, job, user, and those of the host.',
        items: { type: 'string', maxLength: 256, examples: ['kind=~"nic[.].*"'] },
        maxItems: MOST_MATCHERS,
      },
      from: {
        type: 'string',
        description: 'When it begins; at once when left out.',
        maxLength: 40,
        examples: ['2026-12-01T22:00:00Z'],
      },
      until: {
        type: 'string',
        description: 'When it ends; when it is removed here when left out.',
        maxLength: 40,
        examples: ['2026-12-02T04:00:00Z'],
      },
      by: {
        type: 'string',
        description: 'Who asks for it.',
        minLength: 1,
        maxLength: LONGEST_NAME,
        examples: ['anna'],
      },
      why: {
        type: 'string',
        description: 'One line: the reason.',
        minLength: 1,
        maxLength: LONGEST_NOTE,
        examples: ['switch upgrade, CHG-4711'],
      },
    },
    ['match', 'by', 'why'],
  ),
  MOST_SILENCES,
);

export function silencesOf(raw: FromSchema<typeof SILENCES>, { host, findings }: Resolving): readonly Silence[] {
  return raw.flatMap(({ match, from, until, by, why }, at) => {
    const pointer = `/silences/${at}`;
    const time = (text: string | undefined, key: string): number | null => {
      const parsed = text === undefined ? null : parseTime(text);
      if (text !== undefined && parsed === null)
        findings.problem('FL1106', `${pointer}/${key}`, `must be a time. Write: ${key}: 2026-12-01T22:00:00Z`);
      return parsed?.epochMs ?? null;
    };
    const matchers = match.flatMap((text, which) => {
      const matcher = parseMatcher(text);
      if (!('error' in matcher)) return [matcher];
      findings.problem('FL1106', `${pointer}/match/${which}`, matcher.error);
      return [];
    });
    if (match.length === 0)
      findings.problem('FL1106', `${pointer}/match`, 'needs a condition, or it would hide everything');
    const fromMs = time(from, 'from');
    const untilMs = time(until, 'until');
    if (matchers.length === 0 || matchers.length < match.length) return [];
    const note = makeNote({
      kind: 'silence',
      state: 'start',
      host,
      atMs: fromMs ?? 0,
      by,
      note: why,
      matchers,
      fromMs,
      untilMs,
      silenceId: null,
    });
    return note.kind === 'silence' ? [note] : [];
  });
}
