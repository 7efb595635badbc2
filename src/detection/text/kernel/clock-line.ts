// Lines about the wall clock: leap seconds of the kernel, and steps in the words of chronyd, ntpd and systemd-timesyncd.

import { readFinite } from '../job/number.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** Kernel's ntp.c. */
const LEAP = /^Clock: (inserting|deleting) leap second \d\d:\d\d:\d\d UTC\s*$/;

/** Programs write to /dev/kmsg as "name[pid]: message". What follows the words is the step in seconds. */
const STEPS: readonly (readonly [program: string, form: RegExp])[] = [
  ['chronyd', /^chronyd\[\d{1,10}\]: System clock was stepped by ([^\n]{1,64})$/],
  ['ntpd', /^ntpd\[\d{1,10}\]: (?:[\w. ]{1,48} )?clock_step ([^\n]{1,64})$/],
  ['ntpd', /^ntpd\[\d{1,10}\]: time reset ([^\n]{1,64})$/],
];
const RESTORED = /^systemd-timesyncd\[\d{1,10}\]: System clock time unset or jumped backwards, restor/;

/**
 * What a line says of the clock is evidence with what the clocks themselves show (`system` reports that with its size in
 * `step_s`): here it is `said_step_s`, which moves no time.
 */
export function leapLine(text: string, context: KernelContext): Finding | null {
  const word = LEAP.exec(text)?.[1];
  // By how much the clock goes follows from the word.
  return word === undefined ? null : jump({ what: 'leap_second', said_step_s: word === 'inserting' ? -1 : 1 }, context);
}

/** For lines that programs wrote alone: a user may name a process "chronyd", and the kernel then writes such an opening too. */
export function programClockLine(text: string, context: KernelContext): Finding | null {
  for (const [program, form] of STEPS) {
    const seconds = readFinite(form.exec(text)?.[1] ?? '');
    if (seconds !== null) return jump({ what: 'step', said_step_s: seconds, program }, context);
  }
  if (!RESTORED.test(text)) return null;
  return jump({ what: 'step', said_step_s: null, program: 'systemd-timesyncd' }, context);
}

function jump(attributes: Finding['attributes'], context: KernelContext): Finding {
  return { kind: 'host.clock_jump', component: hostOf(context), attributes };
}
