// Errors that our own reads cause: three in three reads are no chance, and only lines of the kernel count.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KernelRecord } from '../../../src/native.ts';
import { KernelEcho } from '../../../src/sources/files/kernel-echo.ts';

const ERRORS = /ACPI.*Error/;
const PATH = '/sys/class/hwmon/hwmon3/power1_average';

function line(timeMs: number, text = 'ACPI Error: No handler for Region [POWR]', facility = 0): KernelRecord {
  return { sequence: timeMs, timeMs, observedMs: timeMs + 1, priority: 3, facility, text };
}

/** Reads at 1000, 2000, … each with what the kernel says during it. */
function hear(records: readonly (readonly KernelRecord[])[]): string[] {
  const echo = new KernelEcho();
  return records.flatMap((said, i) => {
    const timeMs = (i + 1) * 1000;
    echo.begins(PATH, ERRORS, timeMs);
    echo.ends(PATH, timeMs + 5);
    return echo.hear(said).map(({ path }) => path);
  });
}

test('an error at each of three reads ends them, once', () => {
  assert.deepEqual(hear([[line(1001)], [line(2002)], [line(3003)]]), [PATH]);
});

test('several lines of one read count as one', () => {
  assert.deepEqual(hear([[line(1001), line(1002), line(1003), line(1004)]]), []);
});

test('errors at other times, other lines and lines of programs are not ours', () => {
  assert.deepEqual(hear([[line(1500)], [line(2500)], [line(3500)]]), []);
  assert.deepEqual(hear([1001, 2001, 3001].map((ms) => [line(ms, 'usb 1-1: new device')])), []);
  assert.deepEqual(hear([1001, 2001, 3001].map((ms) => [line(ms, undefined, 1)])), []);
});

test('a read that has not come back yet is under way', () => {
  const echo = new KernelEcho();
  echo.begins(PATH, ERRORS, 0);
  assert.deepEqual(echo.hear([line(700)]), []);
  echo.begins(PATH, ERRORS, 1000);
  assert.deepEqual(echo.hear([line(1700)]), []);
  echo.begins(PATH, ERRORS, 2000);
  assert.equal(echo.hear([line(2700)]).length, 1);
});
