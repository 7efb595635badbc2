// BeeGFS server lines: what storage, metadata and management daemons write into their own logs of targets that are full, fail or are
// offline; "(1) Nov28 11:02:11 Worker3 [ChunkStore (write)] >> Write error. …; SysErr: No space left on device". By the words of errno and of
// the states of targets, for the sentences around them differ from release to release.

import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { StateFinding } from './finding.ts';

/** As `line-form.ts` calls who writes it; the client's module in the kernel is "beegfs". */
export const BEEGFS_SERVER = 'beegfs-server';
const HEAD = /^beegfs-server: \[[^\]\n]{1,96}\] >> /;
const TARGET = /\b(?:[Tt]arget(?: ?ID)?s?|ID)(?: is| was)?[:= ]{1,3}(?:ID[:= ]{1,3})?(\d{1,6})\b/;
const PATH = /\b[Pp]ath[:=] ?(\/[\w./+@=-]{1,240})/;
const MAX_LINE = 512;

const FULL = /\bNo space left on device\b|\bDisk quota exceeded\b|\b(?:emergency)(?: capacity)? pool\b/;
const FILLING = /\blow on (?:free )?(?:disk )?(?:space|inodes)\b|\blow(?: capacity)? pool\b/;
const FAILED =
  /\bInput\/output error\b|\bStructure needs cleaning\b|\bRead-only file system\b|\bRemote I\/O error\b|\bStale file handle\b/;
const OFFLINE =
  /\b(?:[Tt]arget|[Nn]ode|[Bb]uddy)\b.{0,120}\b(?:probably[- ]offline|offline|needs-resync|unreachable|bad)\b/;
/** It is so no longer. */
const BACK = /\b(?:back )?online\b|\bresync (?:finished|completed|succeeded)\b|\bto:? normal\b/i;

const DID: Readonly<Record<string, string>> = {
  'storage.filling': 'has little space left',
  'storage.io_error': 'has I/O errors',
  'storage.degraded': 'is not online',
};

/** Null for a line of another program, or one that reports none of these. */
export function beegfsServerLine(text: string, context: KernelContext): StateFinding | null {
  const head = HEAD.exec(text)?.[0];
  if (head === undefined) return null;
  const said = text.slice(head.length, MAX_LINE);
  const kind = kindOf(said);
  if (kind === null) return null;
  const target = TARGET.exec(said)?.[1];
  const path = PATH.exec(said)?.[1];
  return {
    kind,
    component: hostOf(context),
    attributes: {
      server: target === undefined ? 'beegfs' : `beegfs target ${target}`,
      file_system: 'beegfs',
      on_server: true,
      ...(DID[kind] === undefined ? {} : { did: DID[kind] }),
      ...(target === undefined ? {} : { target }),
      ...(path === undefined ? {} : { path: evidenceText(path) }),
    },
  };
}

function kindOf(said: string): 'storage.full' | 'storage.filling' | 'storage.io_error' | 'storage.degraded' | null {
  if (FULL.test(said)) return 'storage.full';
  if (FILLING.test(said)) return 'storage.filling';
  if (FAILED.test(said)) return 'storage.io_error';
  return OFFLINE.test(said) && !BACK.test(said) ? 'storage.degraded' : null;
}
