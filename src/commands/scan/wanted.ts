// Wanted: of which time and of which hosts a scan is.

import { CommandError } from '../common/incident-context.ts';
import { parseSince } from '../common/since.ts';

export interface Wanted {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: all. */
  readonly hosts: RegExp | null;
  /** The only host that was asked for; null where several were, or a pattern. */
  readonly host: string | null;
}

export function wantedOf(
  { since, until, host }: { readonly since?: string; readonly until?: string; readonly host?: readonly string[] },
  nowMs: number,
): Wanted {
  const [only = null, ...others] = host ?? [];
  return {
    host: others.length > 0 || only?.includes('*') ? null : only,
    fromMs: since === undefined ? Number.NEGATIVE_INFINITY : timeOf('--since', since, nowMs),
    toMs: until === undefined ? Number.POSITIVE_INFINITY : timeOf('--until', until, nowMs),
    hosts: host === undefined ? null : new RegExp(`^(?:${host.map(pattern).join('|')})$`),
  };
}

export function isWanted({ hosts }: Wanted, host: string): boolean {
  return hosts === null || hosts.test(host);
}

function timeOf(option: string, text: string, nowMs: number): number {
  const ms = parseSince(text, nowMs);
  if (ms === null)
    throw new CommandError(2, `FL3123 ${option} "${text}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`);
  return ms;
}

/** `*` is any characters. */
function pattern(name: string): string {
  return name.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
}
