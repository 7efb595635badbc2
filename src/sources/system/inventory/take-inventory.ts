// Starts the inventory child, waits for its one line, and ends it with everything it started when it takes too long.

import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import type { OwnProcesses } from '../../../identity/own-processes.ts';
import { installationRoot, nativePath } from '../../../native.ts';
import { type Inventory, parseInventory } from './parse-inventory.ts';

/** It takes half a second on a quiet host; dmidecode on a large one takes two. */
const DEADLINE_MS = 20_000;
const MAX_BYTES = 64 * 1024;
/** Nothing of the daemon's own environment: not its secrets, and no NODE_OPTIONS. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** In the folder of this file both as source and in the bundle. */
const CHILD = join(import.meta.dirname, `inventory-child${extname(import.meta.filename)}`);

export type TakeInventory = (signal: AbortSignal) => Promise<Inventory>;

export interface ChildLimits {
  readonly program: string;
  readonly deadlineMs: number;
}

/** Rejects with why there is none. `signal` ends the child at once. */
export function takeInventory(
  signal: AbortSignal,
  { program, deadlineMs }: ChildLimits = { program: CHILD, deadlineMs: DEADLINE_MS },
  own?: OwnProcesses,
): Promise<Inventory> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error('stopped'));
    // It parses what firmware wrote, and starts shells: without a capability, a socket or a file that it need not read.
    const confined = ['inventory', String(process.pid), installationRoot(), process.execPath];
    const child = spawn(
      nativePath('faultline-fr'),
      [...confined, '--disable-sigusr1', '--max-old-space-size=64', program],
      {
        cwd: '/',
        env: ENVIRONMENT,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true, // its own process group, so that its shells end with it
      },
    );
    const forget = own?.add('system', () => (child.pid === undefined ? [] : [child.pid]));
    let text = '';
    // Only while the child is not reaped yet: afterwards the number may be another process's.
    const end = (reason: string) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
      reject(new Error(reason));
    };
    const onAbort = () => end('stopped');
    signal.addEventListener('abort', onAbort, { once: true });
    const deadline = setTimeout(() => end(`it took longer than ${deadlineMs / 1000} s`), deadlineMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length <= MAX_BYTES) return;
      text = '';
      child.stdout.destroy();
      end(`it said more than ${MAX_BYTES} bytes`);
    });
    child.once('error', (error) => end(error.message));
    child.once('close', (code, by) => {
      forget?.();
      clearTimeout(deadline);
      signal.removeEventListener('abort', onAbort);
      const inventory = parseInventory(text);
      if (inventory === null) reject(new Error(`it ended with ${by ?? `status ${code}`} and no answer`));
      else resolve(inventory);
    });
  });
}

/** Ends the child and the shells it started. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {} // over already
}
