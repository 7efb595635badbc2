// Asks ranks for dumps through their debug-info pipe: one byte into a FIFO, without ever waiting for anybody.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { plainWay } from '../dumps/places.ts';
import type { RankProcess } from './processes.ts';

/** Why a rank was not asked: no pipe configured, nothing there or nobody reads it, no pipe but something else, not allowed. */
export type Asked = 'asked' | 'no_pipe' | 'nobody_reads' | 'not_a_pipe' | 'refused';

/** Asks each rank once. Never blocks and never throws. */
export async function askForDumps(ranks: readonly RankProcess[]): Promise<ReadonlyMap<number, Asked>> {
  const answers = await Promise.all(ranks.map(async (rank) => [rank.rank, await ask(rank)] as const));
  return new Map(answers);
}

async function ask({ pipe, root }: RankProcess): Promise<Asked> {
  if (pipe === null) return 'no_pipe';
  if (!(await plainWay(root, dirname(pipe)))) return 'nobody_reads';
  let file: FileHandle | null = null;
  try {
    const path = `${root}${dirname(pipe)}/${basename(pipe)}`;
    // Before it is opened: opening a device can do things. And after: it may have been put in its place meanwhile.
    if (!(await lstat(path)).isFIFO()) return 'not_a_pipe';
    // Writing only and not blocking: without a reader the kernel refuses it (ENXIO), and a link is not followed.
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
    file = await open(path, flags);
    if (!(await file.stat()).isFIFO()) return 'not_a_pipe';
    await file.write('1');
    return 'asked';
  } catch (error) {
    return answerOf(error instanceof Error && 'code' in error ? String(error.code) : '');
  } finally {
    await file?.close().catch(() => undefined);
  }
}

function answerOf(code: string): Asked {
  if (code === 'EACCES' || code === 'EPERM') return 'refused';
  if (code === 'ELOOP' || code === 'EISDIR') return 'not_a_pipe';
  // A full pipe holds a request already.
  return code === 'EAGAIN' ? 'asked' : 'nobody_reads';
}
