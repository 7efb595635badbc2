// What the BMC tests share: a recorder in the place of the pipeline, configurations, waiting for something to happen.

import type { Discovery, Emit, EventInput, SampleBatch } from '../../../src/model/record.ts';
import type { Supply, TimedPart } from '../../../src/sources/bmc/decode/parts.ts';
import type { BmcSettings } from '../../../src/sources/bmc/settings.ts';

export class Recorder implements Emit {
  readonly batches: SampleBatch[] = [];
  readonly events: EventInput[] = [];
  readonly discoveries: Discovery[] = [];

  samples(batch: SampleBatch): void {
    this.batches.push(batch);
  }
  text(): void {}
  event(input: EventInput): void {
    this.events.push(input);
  }
  discovery(discovery: Discovery): void {
    this.discoveries.push(discovery);
  }

  /** Values of a series in the order of arrival. */
  values(key: string): number[] {
    return this.batches.flatMap((batch) => batch.values.filter((_, i) => batch.keys[i] === key));
  }

  of(kind: EventInput['kind'], state: EventInput['state']): EventInput | undefined {
    return this.events.find((event) => event.kind === kind && event.state === state);
  }
}

export function bmcConfig(url: string, more: Partial<BmcSettings> = {}): BmcSettings {
  return {
    host: 'node-3',
    url,
    user: 'faultline',
    password: 'simulated',
    ca: null,
    insecure: true,
    intervalMs: 30,
    timeoutMs: 5000,
    ...more,
  };
}

/** A supply that is well; `more` says what is not. */
export function supply(slot: string, more: Partial<Supply> = {}): Supply {
  return {
    part: 'supply',
    slot,
    name: `PSU ${slot}`,
    state: 'Enabled',
    health: 'OK',
    line: null,
    lineType: null,
    inputVoltage: 230,
    inputPower: 1000,
    outputPower: 940,
    capacity: 3000,
    conditions: [],
    ...more,
  };
}

/** `part` as asked for and answered around `atMs`. */
export function at<P extends object>(atMs: number, part: P): P & { sentMs: number; timeMs: number } {
  return { ...part, sentMs: atMs - 5, timeMs: atMs };
}

export { until } from '../../until.ts';
export type { TimedPart };
