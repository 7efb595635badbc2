// Lines that report a step by themselves, in the words of the frameworks in catalog/job.

import { entriesOf, type Framework, wordsOf } from './framework.ts';
import type { StepLine } from './progress.ts';
import { readFields, stepFields, type ValuePlace } from './step-fields.ts';

const LINES = entriesOf('lines').map((entry) => ({ ...entry, read: stepFields(entry.fields) }));

/** What every line that `StepReader` reads has a part of: nearly all other lines are done with after one look. */
const HINT = new RegExp(
  [
    ...LINES.map(({ markers }) => escaped(markers.toSorted((a, b) => b.length - a.length)[0] ?? '')),
    ...['%|', '━', ...entriesOf('blocks').flatMap(({ header, line }) => [header, line])].map(escaped),
    // The header of a table, and its rows.
    ...entriesOf('tables').map(
      ({ columns }) => `(?:^|,)(?:${wordsOf(columns, 'iteration').map(escaped).join('|')})(?:,|$)`,
    ),
    '^\\d+,',
  ].join('|'),
);

export function mayTellStep(line: string): boolean {
  return HINT.test(line);
}

function escaped(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&');
}

/**
 * Null for every other line. The iteration is null where the framework prints none (Transformers' dictionaries). Linear in
 * the line for each row. `places`: where each value is.
 */
export function parseStepLine(
  line: string,
  wanted: (framework: Framework) => boolean,
  places?: ValuePlace[],
): StepLine | null {
  for (const { framework, markers, fields, read, number_optional: optional = false } of LINES) {
    if (!markers.every((marker) => line.includes(marker)) || !wanted(framework)) continue;
    places?.splice(0);
    const step = readFields(framework, line, read, places);
    if (tellsAnything(step) && (step.iteration !== null || fields.iteration === undefined || optional)) return step;
  }
  return null;
}

function tellsAnything({ iteration, loss, step_time_ms: time, samples_per_second: samples }: StepLine): boolean {
  return iteration !== null || loss !== null || time !== null || samples !== null;
}
