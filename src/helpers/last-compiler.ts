// The last compiler: TurboFan makes code that is a seventh faster of what runs without end, and takes some MiB for it. At rest it is off
// (src/commands/small-heap.ts), and while something is busy for seconds on end it is on.

import { setFlagsFromString } from 'node:v8';

/** Shorter work is over before its code is compiled. */
const BUSY_MS = 3_000;
/** What comes within this of the last is the same work. */
const PAUSE_MS = 5_000;
const REST_MS = 60_000;

let isOurs = false;
let isOn = true;
let sinceMs = Number.NEGATIVE_INFINITY;
let lastMs = Number.NEGATIVE_INFINITY;
let rest: NodeJS.Timeout | null = null;

/** To be called once by who lives long on little: from then on it is off but for busy times. */
export function restLastCompiler(): void {
  isOurs = true;
  turn(false);
}

/** Something is busy, and says so again and again while it is. */
export function keepsBusy(nowMs = performance.now()): void {
  if (!isOurs) return;
  if (nowMs - lastMs > PAUSE_MS) sinceMs = nowMs;
  lastMs = nowMs;
  if (nowMs - sinceMs < BUSY_MS) return;
  turn(true);
  if (rest === null) rest = setTimeout(() => turn(false), REST_MS).unref();
  else rest.refresh();
}

/** Whether it is on, for tests. */
export function lastCompilerIsOn(): boolean {
  return isOn;
}

function turn(on: boolean): void {
  if (on === isOn) return;
  isOn = on;
  setFlagsFromString(on ? '--turbofan' : '--no-turbofan');
}
