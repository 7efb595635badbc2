// Starts a program of the host with few rights, takes its one answer, and ends it with all that it started when it takes too long.

import { spawn } from 'node:child_process';
import type { OwnProcesses } from '../identity/own-processes.ts';
import { nativePath } from '../native.ts';

export interface Answer {
  readonly text: string;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
  readonly status: number | null;
  readonly by: NodeJS.Signals | null;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  /** All of its environment: nothing of the daemon's own reaches it, not its secrets and no NODE_OPTIONS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the program; left out, `faultline-fr`, which takes the rights away before it starts another. */
  readonly program?: string;
  /** What learns of its process, and the name of the source that it works for. */
  readonly own?: { readonly processes: OwnProcesses; readonly part: string };
}

const MAX_COMPLAINT = 4096;

/**
 * `words`: of `faultline-fr`: what kind of program, our pid, then the program and its arguments.
 * Resolves when it has ended by itself, whatever its status; rejects with why there is no answer.
 */
export function askProgram(
  words: readonly string[],
  { signal, deadlineMs, maxBytes, environment, program = nativePath('faultline-fr'), own }: AskOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error('stopped'));
    const child = spawn(program, words, {
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own process group, so that what it started ends with it
    });
    const forget = own?.processes.add(own.part, () => (child.pid === undefined ? [] : [child.pid]));
    const parts: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    const end = (reason: string): void => {
      // Only while the child is not reaped yet: afterwards the number may be another process's.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
      reject(new Error(reason));
    };
    const onAbort = (): void => end('stopped');
    signal.addEventListener('abort', onAbort, { once: true });
    const deadline = setTimeout(() => end(`it took longer than ${deadlineMs / 1000} s`), deadlineMs);
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) return void parts.push(part);
      parts.length = 0;
      child.stdout.destroy();
      end(`it answered more than ${maxBytes} bytes`);
    });
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      complaint = (complaint + text).slice(-MAX_COMPLAINT);
    });
    child.once('error', (error) => end(error.message));
    child.once('close', (status, by) => {
      forget?.();
      clearTimeout(deadline);
      signal.removeEventListener('abort', onAbort);
      resolve({ text: Buffer.concat(parts).toString('utf8'), complaint, status, by });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {} // over already
}
