// What the PDU tests share: a recorder in the place of the pipeline, configurations, waiting for something to happen.

import type { Discovery, Emit, EventInput, SampleBatch } from '../../../src/model/record.ts';
import type { PduSettings, SnmpUser } from '../../../src/sources/pdu/settings.ts';

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

export const USER: SnmpUser = {
  name: 'faultline',
  level: 'authPriv',
  authProtocol: 'sha256',
  authKey: 'auth-secret-1',
  privProtocol: 'aes',
  privKey: 'priv-secret-1',
};

export function pduConfig(port: number, more: Partial<PduSettings> = {}): PduSettings {
  return {
    name: 'pdu-b',
    host: '127.0.0.1',
    port,
    version: '2c',
    community: 'public',
    user: null,
    intervalMs: 40,
    timeoutMs: 200,
    retries: 0,
    ...more,
  };
}

export { until } from '../../until.ts';
