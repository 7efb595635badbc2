// Carried line: the message that a line of a saved text has behind what carries it, where a rule knows it, and whose words it is in.

import { placesBehindCarrier, wordsAt } from '../../detection/text/carrier.ts';
import { FaultLines } from '../../detection/text/job/fault/fault-lines.ts';
import { peel } from '../../detection/text/job/peel.ts';
import { SPEAKS_OF_DEVICES } from '../../detection/text/kernel/programs.ts';
import { programFindings } from '../../detection/text/programs/program-rows.ts';
import { Messages } from '../../detection/text/report/messages.ts';
import { isListedLog } from '../../sources/bmc/log/listed-log.ts';
import { readsAsKernel } from '../../sources/saved-text/form/kernel-words.ts';

export interface CarriedLine {
  readonly of: 'kernel' | 'program' | 'report' | 'entry' | 'job';
  readonly text: string;
}

/** Longer lines are no single message. */
const MOST_LENGTH = 2048;
/** Which rank printed it. */
const RANK = /\[rank[- ]?\d{1,7}\]:? ?/i;
const NOWHERE = '';
const messages = new Messages(NOWHERE);

/** Null where no rule knows words of it, or they are known without this. */
export function carriedLine(line: string): CarriedLine | null {
  if (line.length > MOST_LENGTH || isOfJob(line)) return null;
  for (const at of placesBehindCarrier(line))
    for (const text of wordsAt(line, at)) {
      const of = voiceOf(text);
      // What readers of reports made of the line itself, or of its indent, they know best.
      if (of === null || (of === 'report' && text === line.trim())) continue;
      if (of !== 'job') return { of, text };
      return at === 0 && text === line ? null : { of, text: `${RANK.exec(line.slice(0, at))?.[0] ?? ''}${text}` };
    }
  return null;
}

function voiceOf(text: string): CarriedLine['of'] | null {
  if (readsAsKernel(text)) return 'kernel';
  if (SPEAKS_OF_DEVICES.test(text) && programFindings(text, NOWHERE) !== null) return 'program';
  if (messages.take(text) !== null) return 'report';
  // The log of a BMC, of which nothing else is before the line.
  if (isListedLog(text)) return 'entry';
  return isOfJob(text) ? 'job' : null;
}

function isOfJob(text: string): boolean {
  const { body, message } = peel(text);
  return [...new Set([body, message])].some((each) => new FaultLines().line(each, null) !== null);
}
