// Run line: the numbers of one step of a run as the line that a job could have printed, so that all lines of steps are read alike.

import { fieldNamed } from '../../detection/text/job/free-line.ts';
import type { StepNumbers } from './read/messages.ts';

/** Counts of the step under another name. */
const COUNTERS = /(?:^|[/_.])(?:global_step|step|iteration|epoch|num_updates)$/i;
const MOST = 24;
/** Such a number says nothing without its unit: trackers record seconds, and names say where it is another one. */
const MILLISECONDS = /(?:^|[/_.( -])ms(?:$|[/_.) -])|millisec/i;
const GIB = /gib|\bgb\b|_gb|\(gb\)/i;

/** Null where no number has a name that is known of training; those of evaluations are left out. */
export function runLine({ step, numbers }: StepNumbers): string | null {
  const parts: string[] = [];
  for (const [name, value] of numbers) {
    if (parts.length >= MOST || COUNTERS.test(name)) continue;
    const field = fieldNamed(name);
    const text = field === null ? null : partOf(field, name, value);
    if (text !== null) parts.push(text);
  }
  return parts.length === 0 ? null : `step: ${step} | ${parts.join(' | ')}`;
}

function partOf(field: string, name: string, value: number): string | null {
  const plain = fieldWords(name);
  const number = Number.isNaN(value) ? 'nan' : Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf';
  if (field === 'step_time' || field === 'time_with_unit')
    return field === 'step_time' ? `step time: ${number} ${MILLISECONDS.test(name) ? 'ms' : 's'}` : null;
  if (field.startsWith('memory') && field !== 'memory_ratio')
    return GIB.test(name) ? `${plain}: ${number} ${/gib/i.test(name) ? 'GiB' : 'GB'}` : null;
  if (field === 'mfu' && /%|percent/i.test(name)) return `mfu: ${number}%`;
  return `${plain}: ${number}`;
}

/** "train/grad-norm (max)" as words. */
function fieldWords(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, ' ').trim().slice(-64); // biome-ignore format: one line
}
