// Readings: what reports in the scanned text measured, as the document prints them.

import type { Reported } from '../../detection/text/report/report.ts';
import type { DeviceState, Reading } from '../../model/reading.ts';

const MOST = 200_000;

/** Where it was read. */
interface Place {
  readonly input: string;
  readonly line: number;
}

export class Readings {
  readonly readings: (Place & Reading)[] = [];
  readonly states: (Place & DeviceState)[] = [];
  leftOut = 0;

  take(input: string, line: number, { readings, states }: Reported): void {
    const room = Math.max(0, MOST - this.readings.length - this.states.length);
    if (readings.length + states.length > room) {
      this.leftOut += readings.length + states.length;
      return;
    }
    for (const reading of readings) this.readings.push({ input, line, ...reading });
    for (const state of states) this.states.push({ input, line, ...state });
  }
}
