// Whether a host, as a URL or an address has it, is this one alone: an address of loopback, or localhost by exactly that name.

import { isIPv4 } from 'node:net';

/** False for every other name, whatever it begins with: 127.0.0.1.example.org is looked up like any. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'));
}

/** An http URL that leaves this host: what it carries can be read on the way. */
export function isPlainBeyondLoopback(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopback(parsed.hostname);
}
