// Listen: where something listens over TCP, as users write it: loopback unless another address is written out.

import { isIP } from 'node:net';

export interface Listen {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';

const PLACE = ':?[0-9]{1,5}|[^\\s:]{1,253}:[0-9]{1,5}|\\[[0-9a-fA-F:.]{2,45}\\]:[0-9]{1,5}';
export const LISTEN_PATTERN = `^(${PLACE})$`;
/** The same, or "none". */
export const LISTEN_OR_NONE = `^(none|${PLACE})$`;

/** Null where the text is not an IP address and a port. A port alone is on loopback. */
export function parseListen(text: string): Listen | null {
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  const written = text.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, '');
  const host = written === '' || written === 'localhost' ? LOOPBACK : written;
  return isIP(host) === 0 || port < 1 || port > 65_535 ? null : { host, port };
}

/** As messages and URLs have it: an address of IPv6 is in brackets. */
export function listenText({ host, port }: Listen): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
