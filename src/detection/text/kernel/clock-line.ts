// Lines about the wall clock: leap seconds of the kernel, and steps in the words of chronyd, ntpd and systemd-timesyncd.

import { Cursor } from '../cursor.ts';
import { readFinite } from '../job/number.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { Finding } from './driver-line.ts';

/** Kernel's ntp.c; by how much the clock went then follows from the words. */
const LEAP: readonly (readonly [words: string, seconds: number])[] = [
  ['Clock: inserting leap second', -1],
  ['Clock: deleting leap second', 1],
];

/** Programs write to /dev/kmsg as "name[pid]: message". What stands after the words is the step in seconds. */
const STEPS: readonly (readonly [program: string, words: string])[] = [
  ['chronyd', 'System clock was stepped by '],
  ['ntpd', 'clock_step '],
  ['ntpd', 'time reset '],
];
const RESTORED = 'System clock time unset or jumped backwards, restor';
const MAX_PROGRAM = 48;

/**
 * What a line says of the clock is evidence beside what the clocks themselves show (`system` tells that with its size in
 * `step_s`): here it stands as `said_step_s`, which moves no time.
 */
export function clockLine(text: string, context: KernelContext): Finding | null {
  const told = leap(text, context) ?? step(text, context);
  if (told === null) return null;
  return { kind: 'host.clock_jump', component: { type: 'host', id: context.host }, attributes: told };
}

function leap(text: string, context: KernelContext): Finding['attributes'] | null {
  const found = LEAP.find(([words]) => messageStart(text, words, context) >= 0);
  return found === undefined ? null : { what: 'leap_second', said_step_s: found[1] };
}

function step(text: string, context: KernelContext): Finding['attributes'] | null {
  for (const [program, words] of STEPS) {
    const at = messageOf(program, text, context);
    const cursor = at === null ? null : new Cursor(text, at);
    if (cursor?.skipPast(words) !== true) continue;
    const seconds = readFinite(cursor.rest());
    if (seconds !== null) return { what: 'step', said_step_s: seconds, program };
  }
  const at = messageOf('systemd-timesyncd', text, context);
  if (at === null || !text.startsWith(RESTORED, at)) return null;
  return { what: 'step', said_step_s: null, program: 'systemd-timesyncd' };
}

/** Where the message of this program begins; null where the line is another's. */
function messageOf(program: string, text: string, context: KernelContext): number | null {
  const start = messageStart(text, `${program}[`, context);
  if (start < 0) return null;
  const end = text.indexOf(']: ', start);
  return end < 0 || end - start > MAX_PROGRAM ? null : end + ']: '.length;
}
