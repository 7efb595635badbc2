// Lines of jobs that a user describes under sources.job_lines, with examples that are tried whenever the configuration is read.

import { choice, item, list, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import { unique } from '../../config/unique.ts';
import { disagreement, PROGRESS_FIELDS, USER_FIELDS, type UserLine } from '../../detection/text/job/user-lines.ts';
import { isKind, KINDS, type Kind } from '../../model/kind.ts';

const words = { type: 'string', minLength: 1, maxLength: 128 } as const;
const KIND_CHOICES = ['none', ...KINDS.filter((kind) => kind.startsWith('job.'))];

const fields = Object.fromEntries(
  USER_FIELDS.map((name) => [name, { type: 'array', items: words, maxItems: 8, default: [] } as const]),
);
const expected = Object.fromEntries(PROGRESS_FIELDS.map((name) => [name, { type: 'number' } as const]));

const line = item(
  {
    name: { ...words, description: 'What it is called in what is reported.', maxLength: 64, examples: ['our-trainer'] },
    has: {
      type: 'array',
      description: 'Words that are all in such a line.',
      items: words,
      maxItems: 8,
      examples: [['[trainer]', 'it=']],
    },
    fields: section('Fields of a step, each with the words before its number; the first that is there counts.', fields),
    kind: choice('What the line reports of its job; none where it only reports numbers.', KIND_CHOICES, 'none'),
    examples: list(
      'Lines, and what is read of them: a configuration whose examples are read differently is refused.',
      item(
        {
          line: { type: 'string', description: 'As it is in the log.', minLength: 1, maxLength: 4096 },
          expect: section('Fields of the step, as faultline scan --json prints them.', expected),
        },
        ['line'],
      ),
      16,
    ),
  },
  ['name', 'has'],
);

export const userLinesSchema = {
  job_lines: list('Lines of jobs in a form of your own: read before those of the known frameworks.', line, 64),
} as const;

export function resolveUserLines(
  { job_lines: raw }: RawOf<typeof userLinesSchema>,
  { findings }: Resolving,
): UserLine[] {
  unique(
    raw.map(({ name }) => name),
    '/sources/job_lines',
    'name',
    findings,
  );
  return raw.map(({ name, has, fields: given, kind, examples }, i) => {
    const at = `/sources/job_lines/${i}`;
    const one: UserLine = {
      name,
      has,
      fields: Object.fromEntries(Object.entries(given).flatMap(([field, after]) => textsOf(field, after))),
      kind: kindOf(kind),
    };
    if (has.length === 0)
      findings.problem('FL1107', `${at}/has`, 'must hold words that such a line has. Write: has: ["it="]');
    else if (!has.some((each) => Buffer.byteLength(each) > 1))
      findings.problem(
        'FL1107',
        `${at}/has`,
        'must hold a word of two characters at least: lines are looked for by it',
      );
    if (Object.keys(one.fields).length === 0 && one.kind === null)
      findings.problem('FL1107', at, 'reads nothing. Write: fields: {iteration: ["it="]}, or a kind');
    for (const [k, { line: text, expect }] of examples.entries()) {
      const wrong = has.length === 0 ? null : disagreement(one, text, numbersOf(expect));
      if (wrong !== null) findings.problem('FL1110', `${at}/examples/${k}`, `is not read as expected: ${wrong}`);
    }
    return one;
  });
}

function textsOf(field: string, after: unknown): [string, string[]][] {
  const texts = Array.isArray(after) ? after.filter((each) => typeof each === 'string') : [];
  return texts.length === 0 ? [] : [[field, texts]];
}

function numbersOf(expect: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(expect).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

function kindOf(kind: string): Kind | null {
  return isKind(kind) ? kind : null;
}
