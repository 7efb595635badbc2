// Steps: the training steps that scanned lines report, one entry a step line, as the document prints them.

import type { StepSeen } from '../../detection/text/job/decoded.ts';

const MOST = 200_000;

export interface StepEntry extends Readonly<Record<string, unknown>> {
  readonly input: string;
  readonly line: number;
}

export class Steps {
  readonly all: StepEntry[] = [];
  leftOut = 0;

  take(input: string, steps: readonly StepSeen[]): void {
    for (const { position, progress } of steps) {
      if (this.all.length >= MOST) this.leftOut += 1;
      else this.all.push({ input, line: position, ...progress });
    }
  }
}
