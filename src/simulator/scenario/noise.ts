// What happens next to a scenario and means nothing: kernel chatter and load steps, placed by the seed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickOne, randomStream } from '../random.ts';
import type { ScenarioDocument } from './document.ts';
import type { PlannedStep } from './planned-change.ts';
import { scenarioFolder } from './validate.ts';
import type { PlannedWorld } from './world.ts';

/** One harmless line of a kernel log. */
export interface NoiseLine {
  readonly priority: number;
  readonly text: string;
}

function noiseLines(): NoiseLine[] {
  return JSON.parse(readFileSync(join(scenarioFolder(), 'noise', 'kernel-lines.json'), 'utf8')).lines;
}

export function noiseSteps(
  noise: NonNullable<ScenarioDocument['noise']>,
  world: PlannedWorld,
  durationMs: number,
  seed: number,
): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const random = randomStream(seed, 'noise');
  const lines = (noise.kernel_lines ?? 0) > 0 ? noiseLines() : [];
  for (let i = 0; i < (noise.kernel_lines ?? 0); i += 1) {
    const line = pickOne(random, lines);
    const atMs = Math.round(random() * durationMs);
    if (line === undefined) continue;
    steps.push({ id: null, atMs, forMs: null, change: { type: 'kernel_line', ...line } });
  }
  for (let i = 0; i < (noise.load_steps ?? 0); i += 1) {
    const pdu = pickOne(random, world.pdus);
    const atMs = Math.round(random() * durationMs);
    const factor = Number((0.8 + 0.4 * random()).toFixed(2));
    if (pdu === undefined) continue;
    const phase = 1 + Math.floor(random() * pdu.phases);
    steps.push({ id: null, atMs, forMs: 2000, change: { type: 'pdu_load', pdu: pdu.name, phase, factor } });
  }
  return steps;
}
