// Settings of the syslog receiver.

import { list, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Address } from '../address.ts';
import {
  type ReceiverSettings,
  receiverAddress,
  receiverKeys,
  receiverSettings,
} from '../text-in/receiver-settings.ts';

export const EXAMPLE = 'sources: {syslog_in: {listen: ["udp:127.0.0.1:5514", "tcp:127.0.0.1:5514"]}}';

export const schema = {
  syslog_in: section('Receiver of syslog, RFC 3164 and RFC 5424. Off until an address is given.', {
    listen: list(
      'Addresses: "udp:127.0.0.1:5514", "tcp:127.0.0.1:5514" (octet counting or a line each), or "unix:/run/faultline/syslog.sock" (a stream).',
      {
        type: 'string',
        pattern: '^(?:udp:|tcp:|unix:)\\S{1,128}$',
        form: '"udp:127.0.0.1:5514", "tcp:127.0.0.1:5514" or "unix:/path"',
        examples: ['udp:127.0.0.1:5514'],
      },
      8,
    ),
    ...receiverKeys,
  }),
} as const;

export type Place = { readonly way: 'udp' | 'tcp' | 'unix'; readonly address: Address };

export interface SyslogInSettings extends ReceiverSettings {
  readonly listen: readonly Place[];
}

export function resolve({ syslog_in: raw }: RawOf<typeof schema>, at: Resolving): SyslogInSettings {
  const listen = raw.listen.flatMap((text, i) => {
    const way = text.startsWith('udp:') ? 'udp' : text.startsWith('tcp:') ? 'tcp' : 'unix';
    const example = '"udp:127.0.0.1:5514", "tcp:127.0.0.1:5514" or "unix:/run/faultline/syslog.sock"';
    const bare = way === 'unix' ? text : text.slice(4);
    const rules = { findings: at.findings, beyond: raw.beyond_this_host, example };
    const address = receiverAddress(bare, `/sources/syslog_in/listen/${i}`, rules);
    return address === null ? [] : [{ way, address } as const];
  });
  return { listen, ...receiverSettings(raw, '/sources/syslog_in', at) };
}
