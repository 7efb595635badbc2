// Address: where OTLP is taken, as it is written in the configuration: "127.0.0.1:4317" or "unix:/run/faultline/otlp.sock".

import { isIPv6 } from 'node:net';
import { isLoopback } from '../helpers/loopback.ts';

export type Address =
  | { readonly text: string; readonly path: string }
  | { readonly text: string; readonly host: string; readonly port: number };

/** Null for what is not an address. A host is an IP address or localhost: names are not looked up. */
export function parseAddress(text: string): Address | null {
  const [, path] = /^unix:(\/[^\0]{1,100})$/.exec(text) ?? [];
  if (path !== undefined) return { text, path };
  const [, host = '', port = ''] = /^(localhost|[\d.]{7,15}|\[[\da-fA-F:.]{2,45}\]):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) return null;
  const bare = host.replace(/^\[|\]$/g, '');
  if (host.startsWith('[') ? !isIPv6(bare) : host !== 'localhost' && !isQuad(host)) return null;
  return { text, host: host === 'localhost' ? '127.0.0.1' : bare, port: Number(port) };
}

/** Only programs of this host reach it. */
export function isLocal(address: Address): boolean {
  return 'path' in address || isLoopback(address.host);
}

function isQuad(host: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(host);
}
