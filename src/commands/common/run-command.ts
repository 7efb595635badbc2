// Run command: how a command ends whose input cannot be used or whose output goes nowhere. It loads next to nothing.

import { whoMay } from '../../helpers/files/who-may.ts';
import type { CommandIo } from './command-io.ts';

/** A wrong use of a command or an input that cannot be used; the message alone goes to stderr. */
export class CommandError extends Error {
  readonly status: number;

  constructor(status: 1 | 2, message: string) {
    super(message);
    this.status = status;
  }
}

/** Runs a command to its end: what is wrong goes to stderr with its status, a reader that goes away ends it quietly. */
export async function runCommand(io: CommandIo, command: (closed: AbortSignal) => Promise<void>): Promise<void> {
  const closed = new AbortController();
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') {
      const why = error.code ?? error.message;
      io.stderr.write(`FL3126 the output could not be written (${why}): free space there, or send it elsewhere\n`);
      io.status(1);
    }
    closed.abort();
  };
  io.stdout.on('error', onError);
  try {
    await command(closed.signal);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const known = 'status' in error && typeof error.status === 'number';
    io.stderr.write(`${known ? error.message : unreadable(error)}\n`);
    io.status(known ? Number(error.status) : 1);
  }
}

function unreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES' && error.path !== undefined)
    return `FL3124 this user may not read the incident log ${error.path}. ${whoMay(error.path)}`;
  return `FL3124 the incident log could not be read${error.code === undefined ? '' : ` (${error.code})`}: ${error.message}`;
}
