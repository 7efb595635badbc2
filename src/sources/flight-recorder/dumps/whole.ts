// Whether a dump file looks whole: recorders write in place, so a reader may meet one half written.

import type { NamedBy } from '../../../model/native-files.ts';
import { CheckedFile, RefusedPath } from '../../files/checked-file.ts';

/** STOP, the last opcode of every pickle. */
const STOP = 0x2e;
const CLOSING_BRACE = 0x7d;
const TAIL_BYTES = 16;

/**
 * True when the file ends as a pickle or a JSON document ends; false for one that cannot be read. Rejects with `RefusedPath`
 * for what must not be: what is at this place is up to the job's user.
 */
export async function looksWhole(path: string, namedBy?: NamedBy): Promise<boolean> {
  try {
    const file = await CheckedFile.open(path, namedBy);
    try {
      const info = await file.stat();
      if (info.size === 0) return false;
      const head = Buffer.alloc(1);
      await file.read(head, 0, 1, 0);
      const tail = Buffer.alloc(Math.min(TAIL_BYTES, info.size));
      const { bytesRead } = await file.read(tail, 0, tail.length, info.size - tail.length);
      const json = head[0] !== 0x80;
      let last = bytesRead - 1;
      while (json && last > 0 && (tail[last] ?? 0) <= 0x20) last -= 1;
      return tail[last] === (json ? CLOSING_BRACE : STOP) || (json && tail[last] === STOP);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof RefusedPath && !error.kind) throw error;
    return false;
  }
}
