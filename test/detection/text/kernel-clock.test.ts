// What the kernel and time daemons write of the wall clock: a word next to what the clocks show, which moves no time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leapLine, programClockLine } from '../../../src/detection/text/kernel/clock-line.ts';
import { kernelContext } from '../../../src/detection/text/kernel/context.ts';
import { decodeKernelLine, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { clockJumpOf } from '../../../src/model/clock-jump.ts';
import { decodeLines, kernelRecord, START_MS } from './lines.ts';

const reported = (text: string) => {
  const context = kernelContext('node-3');
  return (leapLine(text, context) ?? programClockLine(text, context))?.attributes ?? null;
};

test('leap seconds of the kernel', () => {
  assert.deepEqual(reported('Clock: inserting leap second 23:59:60 UTC'), { what: 'leap_second', said_step_s: -1 });
  assert.deepEqual(reported('Clock: deleting leap second 23:59:59 UTC'), { what: 'leap_second', said_step_s: 1 });
  const [saved] = decodeLines(['[1.5] Clock: inserting leap second 23:59:60 UTC'], kernelContext('node-3', false));
  assert.equal(saved?.attributes?.said_step_s, -1);
});

test('steps in the words of three time daemons', () => {
  const chronyd = { what: 'step', program: 'chronyd' };
  assert.deepEqual(reported('chronyd[840]: System clock was stepped by 4.005564 seconds'), {
    ...chronyd,
    said_step_s: 4.005564,
  });
  assert.deepEqual(reported('chronyd[840]: System clock was stepped by -3210.5 seconds'), {
    ...chronyd,
    said_step_s: -3210.5,
  });
  assert.deepEqual(reported('ntpd[7]: 0.0.0.0 c61c 0c clock_step -0.613442 s'), {
    what: 'step',
    program: 'ntpd',
    said_step_s: -0.613442,
  });
  assert.deepEqual(reported('ntpd[7]: time reset +17.250000 s'), { what: 'step', program: 'ntpd', said_step_s: 17.25 });
  assert.deepEqual(
    reported(
      'systemd-timesyncd[181]: System clock time unset or jumped backwards, restored from recorded timestamp: Fri',
    ),
    { what: 'step', program: 'systemd-timesyncd', said_step_s: null },
  );
});

test('an adjustment that is slewed, another program and a step that is not a number are none', () => {
  for (const text of [
    'chronyd[840]: System clock wrong by 0.212 seconds, adjustment started',
    'python3[12]: System clock was stepped by 4 seconds',
    'chronyd[840]: System clock was stepped by many seconds',
    'chronyd[840] System clock was stepped by 4 seconds',
    `chronyd[${'9'.repeat(100)}]: System clock was stepped by 4 seconds`,
    'x Clock: inserting leap second 23:59:60 UTC',
    '',
  ]) {
    assert.equal(reported(text), null, text);
  }
});

test('a word about the clock is not taken for a measurement of it', () => {
  const attributes = reported('chronyd[840]: System clock was stepped by 4.0 seconds');
  assert.ok(attributes !== null);
  assert.equal(clockJumpOf({ kind: 'host.clock_jump', trust: 'kernel', timeMs: 0, attributes }), null);
});

/** Each line with its second, as a syslog daemon hands them over, and what is known of the clock ten minutes later. */
function clock(...lines: readonly (readonly [second: number, text: string])[]): string[] {
  const context = kernelContext('node-1');
  const events = lines.flatMap(([second, text]) => {
    const record = kernelRecord(text, second + 1, START_MS + second * 1000);
    const of = { ...record, attributes: { ...record.attributes, facility: 3 } };
    return [...releaseHeld(context, START_MS + second * 1000), ...decodeKernelLine(of, context)];
  });
  const all = [...events, ...releaseHeld(context, START_MS + 600_000)];
  return all.map(({ kind, state, attributes }) => [kind, state, attributes?.off_s ?? attributes?.reason].filter((each) => each !== undefined).join(' ')); // biome-ignore format: one word an event
}

test('a clock that stays wrong, or without a source, is a fault of its host; one that is set right at once is none', () => {
  const wrong = [0, 'chronyd[801]: System clock wrong by 41.220112 seconds'] as const;
  const none = [1, "chronyd[801]: Can't synchronise: no selectable sources"] as const;
  assert.deepEqual(clock(wrong, none), ['host.clock_wrong onset 41.220112']);
  assert.deepEqual(clock(none), ['host.clock_wrong onset no selectable sources']);
  const step = (second: number) => [second, 'chronyd[801]: System clock was stepped by 41.220112 seconds'] as const;
  assert.deepEqual(clock(wrong, step(1)), ['host.clock_jump']);
  assert.deepEqual(clock(none, [30, 'chronyd[801]: Selected source 10.0.0.5 (ntp2.hpc)']), []);
  assert.deepEqual(clock([0, 'chronyd[801]: Selected source 10.0.0.5 (ntp2.hpc)']), []);
  assert.deepEqual(clock([0, 'chronyd[801]: System clock wrong by -0.812452 seconds']), []);
  assert.deepEqual(clock(wrong, step(400)), [
    'host.clock_wrong onset 41.220112',
    'host.clock_jump',
    'host.clock_wrong clear',
  ]);
  for (const [text, says] of [
    ['ntpd[9]: time correction of 3600 seconds exceeds sanity limit (1000); set clock manually to the correct UTC time.', '3600'],
    ['ntpd[9]: no servers reachable', 'no servers reachable'],
    ['systemd-timesyncd[9]: Server has too large root distance. Disconnecting.', 'Server has too large root distance'],
  ] as const) // biome-ignore format: a line a line
    assert.deepEqual(clock([0, text]), [`host.clock_wrong onset ${says}`]);
});
