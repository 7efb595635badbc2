// Settings of the receiver of log shippers.

import { list, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Address } from '../address.ts';
import {
  type ReceiverSettings,
  receiverAddress,
  receiverKeys,
  receiverSettings,
  shippers,
} from '../text-in/receiver-settings.ts';

export const EXAMPLE = 'sources: {logs_in: {listen: ["127.0.0.1:9880"]}}';

export const schema = {
  logs_in: section(
    'Receiver of Fluent Bit, Fluentd, Vector and their like, over HTTP. Off until an address is given.',
    {
      listen: list(
        'Addresses on which POST /v1/logs is taken: "127.0.0.1:9880", or "unix:/run/faultline/logs.sock".',
        {
          type: 'string',
          pattern: '^\\S{1,128}$',
          form: '"127.0.0.1:9880" or "unix:/path"',
          examples: ['127.0.0.1:9880'],
        },
        8,
      ),
      ...receiverKeys,
      shippers,
    },
  ),
} as const;

export interface LogsInSettings extends ReceiverSettings {
  readonly listen: readonly Address[];
}

export function resolve({ logs_in: raw }: RawOf<typeof schema>, at: Resolving): LogsInSettings {
  const rules = {
    findings: at.findings,
    beyond: raw.beyond_this_host,
    example: '"127.0.0.1:9880" or "unix:/run/faultline/logs.sock"',
  };
  const listen = raw.listen.flatMap((text, i) => receiverAddress(text, `/sources/logs_in/listen/${i}`, rules) ?? []);
  return { listen, ...receiverSettings(raw, '/sources/logs_in', at) };
}
