// Seeded randomness: one stream per name, so that a new draw never moves the others.

import { createHash } from 'node:crypto';

/** Uniform numbers in [0, 1); the same seed and name give the same numbers on every machine. */
export type RandomStream = () => number;

/** SHA-256 of seed and name picks the stream, mulberry32 (Tommy Ettinger, public domain) makes its numbers. */
export function randomStream(seed: number, name: string): RandomStream {
  let state = createHash('sha256').update(`${seed}/${name}`).digest().readInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `value` within ± `share` of itself. */
export function jitter(random: RandomStream, value: number, share: number): number {
  return value * (1 + (2 * random() - 1) * share);
}

export function pickOne<T>(random: RandomStream, choices: readonly T[]): T | undefined {
  return choices[Math.floor(random() * choices.length)];
}
