// Which process a kernel line is about: of a kill, a crash, a hung task, a lockup; by the kernel's own words around its name.

import type { TextRecord } from '../../../model/record.ts';
import { kernelContext } from './context.ts';
import { taskLine } from './system-line.ts';
import { crashLine } from './user-words.ts';

/** Set on a record by its source where the process is one of this daemon: the part that it works for. */
export const OWN_PROCESS = 'own_process';

export interface NamedProcess {
  readonly pid: number;
  readonly memcg: string | null;
}

const CONTEXT = kernelContext('');

/** Nearly every line is done with after this. */
const MAY_NAME_PROCESS =
  /segfault|unhandled|general protection|trap |Kill|oom-kill|oom_reaper|blocked |soft lockup|state:D/;

/** Null for a line about anything else. */
export function processOf(text: string): NamedProcess | null {
  if (!MAY_NAME_PROCESS.test(text)) return null;
  const { pid, memcg } = (crashLine(text, CONTEXT) ?? taskLine(text, CONTEXT))?.attributes ?? {};
  return typeof pid === 'number' ? { pid, memcg: typeof memcg === 'string' ? memcg : null } : null;
}

export function ownPart({ attributes }: TextRecord): string | null {
  const part = attributes[OWN_PROCESS];
  return typeof part === 'string' ? part : null;
}
