// User lines: lines of jobs that the configuration describes: steps by the words before their numbers, events by words alone.

import type { Kind } from '../../../model/kind.ts';
import { EMPTY_STEP, type Progress, type StepLine } from './progress.ts';
import { FIELD_NAMES, readFields, stepFields } from './step-fields.ts';

/** As a user wrote it, checked. A line has all of `has` to be one; the fields are those of catalog/job. */
export interface UserLine {
  readonly name: string;
  readonly has: readonly string[];
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What the line reports of its job; null where it only reports numbers. */
  readonly kind: Kind | null;
}

/** What one line means; null for a line that is none of the user's. */
export interface UserFinding {
  readonly name: string;
  readonly kind: Kind | null;
  /** Null where the line has no number of the fields. */
  readonly step: StepLine | null;
}

export const USER_FIELDS: readonly string[] = FIELD_NAMES;

/** The fields of a step, as the `progress` entries of documents call them. */
export const PROGRESS_FIELDS: readonly (keyof StepLine)[] = Object.keys(EMPTY_STEP).filter(
  (name) => name !== 'framework' && name !== 'step_time_from',
) as (keyof StepLine)[]; // the keys of that very object

export class UserLines {
  readonly #lines: readonly (UserLine & { readonly read: ReturnType<typeof stepFields> })[];

  constructor(lines: readonly UserLine[] = []) {
    this.#lines = lines.map((line) => ({ ...line, read: stepFields(line.fields) }));
  }

  get none(): boolean {
    return this.#lines.length === 0;
  }

  /** By the first that fits, in the order of the configuration. Linear in the line for each of them. */
  find(text: string): UserFinding | null {
    for (const { name, has, kind, read } of this.#lines) {
      if (!has.every((words) => text.includes(words))) continue;
      const step = readFields('configured', text, read);
      const reads = PROGRESS_FIELDS.some((field) => step[field] !== null);
      return { name, kind, step: reads ? step : null };
    }
    return null;
  }
}

/** What a line reads, against what its user expects of it; null where both agree. */
export function disagreement(
  line: UserLine,
  example: string,
  expected: Readonly<Record<string, number>>,
): string | null {
  const found = new UserLines([line]).find(example);
  if (found === null) return `the line has not all of ${line.has.map((words) => JSON.stringify(words)).join(', ')}`;
  for (const [field, value] of Object.entries(expected)) {
    const read = found.step?.[field as keyof Progress as keyof StepLine] ?? null;
    const near = typeof read === 'number' && Math.abs(read - value) <= Math.abs(value) * 1e-9;
    if (!near) return `${field} is read as ${read ?? 'nothing'}, not ${value}`;
  }
  return null;
}
