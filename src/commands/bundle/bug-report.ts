// Bug report: what nvidia-bug-report.sh writes, where it is asked for; a child with fixed arguments and a deadline.

import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errorCode } from '../../helpers/error-code.ts';
import { readStart } from '../../helpers/read-start.ts';
import { askProgram } from '../../sources/ask-program.ts';
import type { Part } from './part.ts';

const DEADLINE_MS = 300_000;
const MOST_OUTPUT = 1024 * 1024;
const MOST_PACKED = 64 * 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;
const NAME = 'nvidia-bug-report.log';

export const bugReport: Part = {
  name: NAME,
  async take({ wantsBugReport, elsewhere, paths, signal }) {
    if (!wantsBugReport) return { leftOut: 'not asked for: --nvidia-bug-report adds it' };
    if (elsewhere !== null) return { leftOut: elsewhere };
    // It writes its own file; no other user gets into this folder.
    const folder = await mkdtemp(join(tmpdir(), 'faultline-bundle-'));
    try {
      const { status, complaint } = await askProgram(['--output-file', join(folder, NAME)], {
        program: paths.bugReport,
        signal,
        deadlineMs: DEADLINE_MS,
        maxBytes: MOST_OUTPUT,
        environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', HOME: folder },
      });
      const text = await written(folder);
      if (text === null)
        return {
          leftOut: `${paths.bugReport} ended with ${status} and no report ${complaint.trim().slice(-200)}`.trim(),
        };
      return [{ path: NAME, what: `report of nvidia-bug-report.sh (status ${status})`, text }];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Some releases pack what they write, under a name with .gz. */
async function written(folder: string): Promise<string | null> {
  const packed = await start(join(folder, `${NAME}.gz`), MOST_PACKED);
  if (packed !== null) return (await promisify(gunzip)(packed, { maxOutputLength: MOST_BYTES })).toString();
  return (await start(join(folder, NAME), MOST_BYTES))?.toString() ?? null;
}

async function start(path: string, mostBytes: number): Promise<Buffer | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = await file.stat();
    return await readStart(file, Math.min(size, mostBytes));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
