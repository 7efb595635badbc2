// Lines that tell a step by themselves, in the words of the frameworks that catalog/step-lines.json lists.

import catalog from '#catalog/step-lines.json' with { type: 'json' };
import { type Framework, isFramework, type StepLine } from './progress.ts';
import { type Fields, readFields } from './step-fields.ts';

interface Row {
  readonly framework: Framework;
  readonly markers: readonly string[];
  readonly fields: Fields;
}

const ROWS: readonly Row[] = catalog.lines.map(({ framework, markers, fields }) => {
  if (!isFramework(framework)) throw new Error(`catalog/step-lines.json: "${framework}" is no framework`);
  return { framework, markers, fields: fieldsOf(fields) };
});

/** What every line that `StepReader` reads has a part of: nearly all other lines are done with after one look. */
const HINT = new RegExp(
  [
    ...ROWS.map(({ markers }) => escaped(markers.toSorted((a, b) => b.length - a.length)[0] ?? '')),
    ...['%|', '━', catalog.block.header, catalog.block.line].map(escaped),
    // The header of a table, and its rows.
    `(?:^|,)(?:${catalog.table.columns.iteration.map(escaped).join('|')})(?:,|$)`,
    '^\\d+,',
  ].join('|'),
);

export function mayTellStep(line: string): boolean {
  return HINT.test(line);
}

function escaped(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&');
}

/** JSON's type of rows with different keys holds undefined for those that a row lacks. */
export function fieldsOf(fields: Readonly<Record<string, readonly string[] | undefined>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, words]) => (words === undefined ? [] : [[name, words]])),
  );
}

/**
 * Null for every other line. The iteration is null where the framework prints none (Transformers' dictionaries). Linear in
 * the line for each row.
 */
export function parseStepLine(line: string, wanted: (framework: Framework) => boolean): StepLine | null {
  for (const { framework, markers, fields } of ROWS) {
    if (!markers.every((marker) => line.includes(marker)) || !wanted(framework)) continue;
    const step = readFields(framework, line, fields);
    if (tellsAnything(step) && (step.iteration !== null || fields.iteration === undefined || isLoose(framework)))
      return step;
  }
  return null;
}

function isLoose(framework: Framework): boolean {
  return framework === 'transformers';
}

function tellsAnything({ iteration, loss, step_time_ms: time, samples_per_second: samples }: StepLine): boolean {
  return iteration !== null || loss !== null || time !== null || samples !== null;
}
