// What a host.clock_jump says: how far, and when at the latest and earliest the wall clock was set or the host slept.

import type { Attributes } from './event.ts';
import type { EventInput } from './record.ts';
import { formatTime, type Interval } from './time.ts';

export interface ClockJump {
  readonly what: 'step' | 'suspend';
  /** How far the wall clock moved against the steady one, signed. */
  readonly byMs: number;
  readonly when: Interval;
}

/** `wallMs`: what the wall clock showed right after it, which is not the steady time. */
export function clockJumpEvent(jump: ClockJump, host: string, wallMs: number, source: string): EventInput {
  const { what, byMs, when } = jump;
  const seconds = (Math.abs(byMs) / 1000).toFixed(3);
  const [from, to] = [formatTime(wallMs - byMs), formatTime(wallMs)];
  const text =
    what === 'suspend'
      ? `the host was suspended for ${seconds} s`
      : `the wall clock was set ${byMs < 0 ? 'back' : 'forward'} by ${seconds} s, from ${from} to ${to}`;
  return {
    kind: 'host.clock_jump',
    component: { type: 'host', id: host },
    timeMs: when.latestMs,
    interval: when,
    observedMs: when.latestMs,
    trust: 'system',
    source,
    attributes: { what, step_s: Math.round(byMs) / 1000, from, to },
    evidence: [{ source, timeMs: when.latestMs, text }],
  };
}

/** Null for every other event, and where a tenant's word is all there is. */
export function clockJumpOf(
  event: Pick<EventInput, 'kind' | 'trust' | 'timeMs' | 'interval'> & { attributes?: Attributes },
): ClockJump | null {
  if (event.kind !== 'host.clock_jump' || event.trust === 'tenant') return null;
  const { what, step_s: stepS } = event.attributes ?? {};
  if (typeof stepS !== 'number' || !Number.isFinite(stepS)) return null;
  const when = event.interval ?? { earliestMs: event.timeMs, latestMs: event.timeMs };
  return { what: what === 'suspend' ? 'suspend' : 'step', byMs: stepS * 1000, when };
}
