// The intake of a receiver on a host called node-3, for tests.

import { type IntakeOptions, TextIntake } from '../../../src/sources/text-in/text-intake.ts';

export function intakeFor(source: string, more: Partial<IntakeOptions> = {}): TextIntake {
  const steady = (wallMs: number) => wallMs;
  return new TextIntake({ source, host: 'node-3', hosts: [], now: Date.now, steady, kernel: () => true, linesPerSecond: 5000, ...more }); // biome-ignore format: one line
}
