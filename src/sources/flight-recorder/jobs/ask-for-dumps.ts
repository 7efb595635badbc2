// Asks ranks for dumps through their debug-info pipe: one byte into a FIFO, without ever waiting for anybody.

import { close, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../../helpers/error-code.ts';
import type { RankProcess } from '../../../identity/rank/processes.ts';
import { descriptorOf, RefusedPath } from '../../files/checked-file.ts';
import { plainWay } from '../dumps/places.ts';

/** Why a rank was not asked: no pipe configured, nothing there or without a reader, something else than a pipe, not allowed. */
export type Asked = 'asked' | 'no_pipe' | 'no_reader' | 'not_a_pipe' | 'refused';

/** Asks each rank once. Never blocks and never throws. */
export async function askForDumps(ranks: readonly RankProcess[]): Promise<ReadonlyMap<number, Asked>> {
  const answers = await Promise.all(ranks.map(async (rank) => [rank.rank, await ask(rank)] as const));
  return new Map(answers);
}

async function ask({ pipe, root, namedBy }: RankProcess): Promise<Asked> {
  if (pipe === null) return 'no_pipe';
  if (!(await plainWay(root, dirname(pipe)))) return 'no_reader';
  let fd: number | null = null;
  try {
    // Writing only and not blocking: without a reader the kernel refuses it (ENXIO). What is not a pipe is not opened at all.
    fd = await descriptorOf(`${root}${pipe}`, 'ask', namedBy);
    await promisify(write)(fd, '1');
    return 'asked';
  } catch (error) {
    if (error instanceof RefusedPath) return error.reader ? 'refused' : 'not_a_pipe';
    return answerOf(errorCode(error) ?? '');
  } finally {
    if (fd !== null) await promisify(close)(fd).catch(() => undefined);
  }
}

function answerOf(code: string): Asked {
  if (code === 'EACCES' || code === 'EPERM') return 'refused';
  if (code === 'ELOOP' || code === 'EISDIR') return 'not_a_pipe';
  // A full pipe holds a request already.
  return code === 'EAGAIN' ? 'asked' : 'no_reader';
}
