// Deliveries of OTLP: one for each signal that is on, with its transport, its caps and the words that trouble is reported in.

import { join } from 'node:path';
import { Delivery, type DeliveryCommon } from '../delivery/delivery.ts';
import type { Wording } from '../delivery/trouble.ts';
import type { Signal } from './otel-environment.ts';
import { transportFor } from './send/transport-for.ts';
import type { OtlpConfig, OtlpTarget } from './settings.ts';

export interface OtlpDeliveriesOptions extends DeliveryCommon {
  /** Folder of all signals' spools. */
  readonly directory: string;
  readonly userAgent: string;
}

export type OtlpDeliveries = Readonly<Record<Signal, Delivery | null>>;

export function otlpDeliveries(config: OtlpConfig, options: OtlpDeliveriesOptions): OtlpDeliveries {
  const { userAgent, directory, ...common } = options;
  const of = (signal: Signal): Delivery | null => {
    const target = config[signal];
    if (target === null) return null;
    return new Delivery({
      ...common,
      directory: join(directory, signal),
      caps: config.spool[signal],
      mode: signal === 'metrics' ? 'lazy' : 'eager',
      transport: transportFor(signal, target, userAgent),
      wording: wordingOf(signal, target),
    });
  };
  return { metrics: of('metrics'), logs: of('logs'), traces: of('traces') };
}

function wordingOf(signal: Signal, { endpoint }: OtlpTarget): Wording {
  return {
    what: signal,
    message: 'request',
    receiver: 'the collector',
    endpoint,
    capsSetting: 'otlp.spool',
    codes: {
      unreachable: 'FL3201',
      certificate: 'FL3202',
      closed: 'FL3203',
      refused: 'FL3204',
      partial: 'FL3205',
      disk: 'FL3206',
      dropped: 'FL3207',
      works: 'FL3208',
      damaged: 'FL3210',
    },
    advice: {
      unreachable: 'Check that the collector runs and that the endpoint is right',
      deadline: 'The collector does not answer in time: look at its load, or raise otlp.timeout',
      busy: 'The collector asks to wait: look at its memory limiter and queues',
      failing: "Look at the collector's own log",
      certificate:
        'Check otlp.ca_file, certificate_file and key_file, and the names in the certificate of the collector',
      closed: 'Check otlp.headers and that the endpoint takes this signal over this protocol',
    },
    fields: { signal },
  };
}
