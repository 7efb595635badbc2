// Which progress bars count a job's steps, and what each reports: the bars of data sets, downloads and evaluations do not.

import words from '#catalog/progress-bars.json' with { type: 'json' };
import type { Bar } from './bar.ts';
import { entriesOf, type Fields, type Framework, wordsOf } from './framework.ts';
import type { StepLine } from './progress.ts';
import { readFields, stepFields, valueAfter } from './step-fields.ts';

const BARS = entriesOf('bars');
const FIELDS: Fields = words.fields;
export const BAR_FIELDS = stepFields(FIELDS);
export const GLOBAL_STEP = wordsOf(FIELDS, 'global_step');
/** tqdm writes six digits and more with three that count. */
const WHOLE = /^(\d{1,12})(?:\.0*)?(?![\d.eE])/;

export interface BarStep {
  readonly step: StepLine;
  /** It counts steps only where lines of its framework were seen. */
  readonly withLinesOnly: boolean;
  /** Its description has the number of an epoch. */
  readonly ofEpoch: boolean;
}

/** Null for bars that count no steps. */
export function barStep(bar: Bar, wanted: (framework: Framework) => boolean): BarStep | null {
  for (const { framework, description, units, with_lines_only: withLinesOnly = false } of BARS) {
    if (!wanted(framework) || (bar.unit !== null && !units.includes(bar.unit))) continue;
    const epoch = epochOf(bar.description, description);
    if (epoch === null) continue;
    const fields = readFields(framework, bar.rest, BAR_FIELDS);
    const whole = WHOLE.exec(valueAfter(bar.rest, GLOBAL_STEP) ?? '');
    const iteration = whole === null ? overEpochs(bar, epoch) : Number(whole[1]);
    if (iteration === null) return null;
    const stepTimeMs = fields.step_time_ms ?? bar.eachMs;
    const ofEpoch = description.includes('{epoch}');
    const step: StepLine = {
      ...fields,
      iteration,
      target_iteration: ofEpoch ? null : bar.total,
      step_time_ms: stepTimeMs,
      step_time_from: stepTimeMs === null ? null : 'printed',
    };
    return { step, withLinesOnly, ofEpoch };
  }
  return null;
}

/** The number of the epoch, 0 where the kind has none; null where the description is another's. */
function epochOf(description: string, kind: string): number | null {
  const [head = '', tail] = kind.split('{epoch}');
  if (tail === undefined) return description === kind ? 0 : null;
  if (!description.startsWith(head)) return null;
  const number = description.slice(head.length).trim();
  return /^\d{1,6}$/.test(number) ? Number(number) : null;
}

function overEpochs({ done, total }: Bar, epoch: number): number | null {
  if (epoch === 0) return done;
  return total === null ? null : epoch * total + done;
}
