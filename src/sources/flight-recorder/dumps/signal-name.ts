// The name of a signal by its number.

import { constants } from 'node:os';

export function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, each]) => each === number);
  return known?.[0] ?? `signal ${number}`;
}
