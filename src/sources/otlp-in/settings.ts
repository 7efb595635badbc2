// Settings of the OTLP receiver.

import { sizeBytes } from '../../config/quantity.ts';
import { list, section, size } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import { type Address, isLocal, parseAddress } from '../address.ts';
import { type ReceiverSettings, receiverKeys, receiverSettings, shippers } from '../text-in/receiver-settings.ts';

export const EXAMPLE = 'sources: {otlp_in: {listen: ["127.0.0.1:4317", "127.0.0.1:4318"]}}';

export const schema = {
  otlp_in: section(
    'Receiver of OTLP: spans, metrics and logs of services and jobs of this host. Off until an address is given.',
    {
      listen: list(
        'Addresses on which gRPC and HTTP are taken, both on each: "127.0.0.1:4317", or "unix:/run/faultline/otlp.sock" for containers.',
        {
          type: 'string',
          pattern: '^\\S{1,128}$',
          form: '"127.0.0.1:4317" or "unix:/path"',
          examples: ['127.0.0.1:4317', 'unix:/run/faultline/otlp.sock'],
        },
        8,
      ),
      beyond_this_host: {
        type: 'boolean',
        description:
          'Addresses that other hosts reach are allowed. Whoever reaches them may send; they are without TLS and token.',
        default: false,
      },
      max_request: size('The longest request, as sent and when inflated.', '4MiB', '64KiB', '16MiB'),
      max_in_flight: size('Bytes of all requests that are being received at one time.', '32MiB', '32MiB', '256MiB'),
      max_rate: size('Bytes that are taken in a second, from all senders together.', '16MiB', '64KiB', '256MiB'),
      hosts: receiverKeys.hosts,
      work: receiverKeys.work,
      shippers,
      max_lines_per_second: receiverKeys.max_lines_per_second,
      histograms: list(
        'Further histograms of how long something took: requests of a service, steps of a job. Those of OpenTelemetry, vLLM, SGLang and TGI are known.',
        { type: 'string', pattern: '^[!-~]{1,200}$', form: 'the name of a metric', examples: ['train.step.duration'] },
        32,
      ),
      max_services: {
        type: 'integer',
        description: 'Services that are followed; those of others are left out and counted.',
        minimum: 1,
        maximum: 1024,
        default: 64,
      },
    },
  ),
} as const;

export interface OtlpInSettings extends ReceiverSettings {
  readonly listen: readonly Address[];
  readonly maxRequestBytes: number;
  readonly maxInFlightBytes: number;
  readonly bytesPerSecond: number;
  readonly maxServices: number;
  readonly histograms?: readonly string[];
}

export function resolve({ otlp_in: raw }: RawOf<typeof schema>, at: Resolving): OtlpInSettings {
  const { findings } = at;
  const listen = raw.listen.flatMap((text, i) => {
    const pointer = `/sources/otlp_in/listen/${i}`;
    const address = parseAddress(text);
    if (address === null) {
      const form = 'Write an IP address with a port, or a path: "127.0.0.1:4317", "unix:/run/faultline/otlp.sock"';
      findings.problem('FL1106', pointer, `is not an address (got ${text}). ${form}`);
      return [];
    }
    if (!isLocal(address) && !raw.beyond_this_host) {
      const remedy = 'Write 127.0.0.1, or beyond_this_host: true next to it if that is meant';
      findings.problem('FL1110', pointer, `is reached by other hosts (${text}), without TLS and token. ${remedy}`);
    }
    return [address];
  });
  return {
    listen,
    maxRequestBytes: sizeBytes(raw.max_request),
    maxInFlightBytes: sizeBytes(raw.max_in_flight),
    bytesPerSecond: sizeBytes(raw.max_rate),
    maxServices: raw.max_services,
    histograms: raw.histograms,
    ...receiverSettings(raw, '/sources/otlp_in', at),
  };
}
