// What a command has of the world around it: its streams, its clock, its exit status. Tests give their own.

import { readlinkSync } from 'node:fs';
import type { Writable } from 'node:stream';

export interface CommandIo {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
  readonly now: () => number;
  /** IANA name. */
  readonly timeZone: string;
  readonly colour: boolean;
  /** Sets the exit status; the command then ends by itself. */
  readonly status: (status: number) => void;
  /** Aborted when a command that runs until it is stopped is to end. */
  readonly signal: () => AbortSignal;
}

export function processIo(): CommandIo {
  const { stdout, stderr, env } = process;
  let timeZone: string | undefined;
  return {
    stdout,
    stderr,
    now: Date.now,
    // Only once it is asked for: the daemon prints no times, and Intl's tables would stay in its memory.
    get timeZone() {
      timeZone ??= isUtcHost(env.TZ) ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
      return timeZone;
    },
    colour: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    status: (status) => {
      process.exitCode = status;
    },
    signal: () => {
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      return stop.signal;
    },
  };
}

/** Of a host in UTC, as most of them are, what Intl says after its tables are loaded: 15 ms and 3 MiB of a list of incidents. */
function isUtcHost(zone: string | undefined): boolean {
  if (zone !== undefined) return zone === 'UTC';
  try {
    return /\/zoneinfo\/(?:Etc\/)?UTC$/.test(readlinkSync('/etc/localtime'));
  } catch {
    return false;
  }
}
