// What the kernel and time daemons write of the wall clock: a word next to what the clocks show, which moves no time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leapLine, programClockLine } from '../../../src/detection/text/kernel/clock-line.ts';
import { kernelContext } from '../../../src/detection/text/kernel/context.ts';
import { clockJumpOf } from '../../../src/model/clock-jump.ts';
import { decodeLines } from './lines.ts';

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
