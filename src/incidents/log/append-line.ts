// Append line: adds one line to the log where no daemon does, in one write, so that no line is ever torn.

import { constants } from 'node:fs';
import { join } from 'node:path';
import { openOwn } from '../../helpers/files/own-file.ts';
import { CURRENT } from './files.ts';

/**
 * `line` ends in a newline. The caller makes sure that no one else writes (the instance lock). The log must be there: a
 * file made here would belong to whoever calls, and the daemon could not write it. On an error nothing of it is left.
 */
export async function appendLine(directory: string, line: Buffer): Promise<void> {
  await using log = await openOwn(join(directory, CURRENT), constants.O_RDWR | constants.O_APPEND);
  const { size } = await log.stat();
  const last = Buffer.from('\n');
  if (size > 0) await log.read(last, 0, 1, size - 1);
  // A line that a crash tore is ended first, so that it spoils none of ours.
  const bytes = last[0] === 10 ? line : Buffer.concat([Buffer.from('\n'), line]);
  const { bytesWritten } = await log.write(bytes);
  if (bytesWritten < bytes.length) {
    await log.truncate(size);
    throw Object.assign(new Error('the disk took a part of the line only'), { code: 'ENOSPC' });
  }
  await log.datasync();
}
