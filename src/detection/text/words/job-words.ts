// Job words: what every line of a job or an inference server has that a decoder takes, by the files of catalog/job.

import { SERVER_WORDS } from '../job/fault/fault-entry.ts';
import { FAULT_WORDS } from '../job/fault/job-faults.ts';
import { entriesOf, FRAMEWORKS, wordsOf } from '../job/framework.ts';
import { FREE_WORDS } from '../job/free-line.ts';
import type { UserLine } from '../job/user-lines.ts';
import { joined, type WordSet } from './word-set.ts';

/** The scanner looks for no shorter ones. */
const LEAST_BYTES = 2;
/** Bars of tqdm and of rich. */
const BARS = ['%|', '━'];

function stepWords(): string[] {
  return [
    ...BARS,
    ...entriesOf('lines').map(({ markers }) => longest(markers)),
    ...entriesOf('blocks').map(({ header }) => header),
    // A header names the column first, last or in between.
    ...entriesOf('tables').flatMap(({ columns }) =>
      wordsOf(columns, 'iteration').flatMap((name) => [`${name},`, `,${name}`]),
    ),
    ...FRAMEWORKS.flatMap(([, { columns }]) => (columns === undefined ? [] : [columns.counter])),
    ...FRAMEWORKS.flatMap(([, { pairs }]) => (pairs === undefined ? [] : [pairs.begins])),
    ...FRAMEWORKS.flatMap(([, { world_size: words = [] }]) => words),
    ...entriesOf('milestones').flatMap(({ words, line_ends: ends }) => words ?? ends ?? []),
  ];
}

function serverWords(): string[] {
  const servers = FRAMEWORKS.flatMap(([, { server }]) => server ?? []);
  const read = servers.flatMap(({ starts, load, prompts, figures = [] }) => [
    ...starts,
    load.begins,
    ...(prompts === undefined ? [] : [prompts.begins]),
    ...figures.map(({ after }) => after),
  ]);
  return ['Traceback', ...SERVER_WORDS, ...read];
}

export const JOB_WORDS: WordSet = {
  words: [...FAULT_WORDS, ...stepWords()],
  anyCase: [...FREE_WORDS, ...entriesOf('pauses').map(({ words }) => words)],
};

/** Of the lines that a user describes the longest of the words that each has; null where one has none that can be looked for. */
export function userWords(lines: readonly UserLine[]): WordSet | null {
  const words = lines.map(({ has }) => longest(has));
  return words.some((word) => Buffer.byteLength(word) < LEAST_BYTES) ? null : { words, anyCase: [] };
}

/** What a scan reads of how loaded a server was. */
export const LOAD_WORDS: WordSet = {
  words: [
    ...FRAMEWORKS.flatMap(([, { server }]) => server ?? []).flatMap(({ load, prompts }) => [
      load.begins,
      ...(prompts === undefined ? [] : [prompts.begins]),
    ]),
    ...FRAMEWORKS.flatMap(([, { overload }]) => overload?.lines ?? []).map(({ words }) => words),
  ],
  anyCase: [],
};

/** A server's log is read as a job's is, and for its load. */
export const SERVER_LOG_WORDS: WordSet = joined(JOB_WORDS, { words: serverWords(), anyCase: [] });

function longest(words: readonly string[]): string {
  return words.toSorted((a, b) => b.length - a.length)[0] ?? '';
}
