// Starts the inventory child and takes its one line.

import { extname, join } from 'node:path';
import type { OwnProcesses } from '../../../identity/own-processes.ts';
import { installationRoot } from '../../../native.ts';
import { askProgram } from '../../ask-program.ts';
import { type Inventory, parseInventory } from './parse-inventory.ts';

/** It takes half a second on a quiet host; dmidecode on a large one takes two. */
const DEADLINE_MS = 20_000;
const MAX_BYTES = 64 * 1024;
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** In the folder of this file both as source and in the bundle. */
const CHILD = join(import.meta.dirname, `inventory-child${extname(import.meta.filename)}`);

export type TakeInventory = (signal: AbortSignal) => Promise<Inventory>;

export interface ChildLimits {
  readonly program: string;
  readonly deadlineMs: number;
}

/** Rejects with why there is none. `signal` ends the child at once. */
export async function takeInventory(
  signal: AbortSignal,
  { program, deadlineMs }: ChildLimits = { program: CHILD, deadlineMs: DEADLINE_MS },
  own?: OwnProcesses,
): Promise<Inventory> {
  // It parses what firmware wrote, and starts shells: without a capability, a socket or a file that it need not read.
  const confined = ['inventory', String(process.pid), installationRoot(), process.execPath];
  const words = [...confined, '--disable-sigusr1', '--max-old-space-size=64', program];
  const { text, status, by } = await askProgram(words, {
    signal,
    deadlineMs,
    maxBytes: MAX_BYTES,
    environment: ENVIRONMENT,
    ...(own === undefined ? {} : { own: { processes: own, part: 'system' } }),
  });
  const inventory = parseInventory(text);
  if (inventory === null) throw new Error(`it ended with ${by ?? `status ${status}`} and no answer`);
  return inventory;
}
