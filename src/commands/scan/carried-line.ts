// Carried line: the message that a line of a saved text has behind what carries it, where a rule knows it, and whose words it is in.

import { placesBehindCarrier, wordsAt } from '../../detection/text/carrier.ts';
import { FaultLines } from '../../detection/text/job/fault/fault-lines.ts';
import { FAULT_WORDS } from '../../detection/text/job/fault/job-faults.ts';
import { peel } from '../../detection/text/job/peel.ts';
import { SPEAKS_OF_DEVICES } from '../../detection/text/kernel/programs.ts';
import { programFindings } from '../../detection/text/programs/program-rows.ts';
import { Messages } from '../../detection/text/report/messages.ts';
import { EVENT_WORDS } from '../../detection/text/report/pod-events.ts';
import { KERNEL_WORDS } from '../../detection/text/words/kernel-words.ts';
import { REPORT_WORDS } from '../../detection/text/words/report-words.ts';
import { joined, scannerOf } from '../../detection/text/words/word-set.ts';
import type { NativeWordScanner } from '../../native.ts';
import { isListedLog } from '../../sources/bmc/log/listed-log.ts';
import { readsAsKernel } from '../../sources/saved-text/form/kernel-words.ts';

export interface CarriedLine {
  readonly of: 'kernel' | 'program' | 'report' | 'entry' | 'job';
  readonly text: string;
}

/** Longer lines hold more than one message. */
const MOST_LENGTH = 2048;
/** Which rank printed it. */
const RANK = /\[rank[- ]?\d{1,7}\]:? ?/i;
const NOWHERE = '';
const messages = new Messages(NOWHERE);
/** Made for the first line that is asked about. */
let scanner: NativeWordScanner | null = null;
const found = new Uint32Array(8);

/** Whether it has a word of any rule that reports a fault: of a line without one only a BMC's entry can be carried. */
export function hasWordOfFault(line: string): boolean {
  scanner ??= scannerOf(
    joined(KERNEL_WORDS, REPORT_WORDS, { words: [...FAULT_WORDS, ...EVENT_WORDS], anyCase: [] }),
    true,
  );
  return scanner.scan(Buffer.from(line.slice(0, MOST_LENGTH)), found) > 0;
}

/** The entry of a BMC's log behind what carries it. */
export function carriedEntry(line: string): CarriedLine | null {
  if (line.length > MOST_LENGTH) return null;
  for (const at of placesBehindCarrier(line))
    for (const text of wordsAt(line, at)) if (isListedLog(text)) return { of: 'entry', text };
  return null;
}

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
