// Alive: a daemon's sign of life next to its log, so that whoever reads the log knows up to when it speaks.

import { constants, readFileSync, readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { readStart } from '../../helpers/read-start.ts';
import { CURRENT, openForReading } from './files.ts';

export const ALIVE = 'alive.json';
const SCHEMA = 'faultline/alive/1';
const BEAT_MS = 30_000;
/** Four beats: a busy disk may cost some. */
const SILENT_MS = 120_000;
const MAX_BYTES = 4096;

export interface SignOfLife {
  /** A daemon writes this log now. */
  readonly writing: boolean;
  /** Epoch ms of the last sign of life; null where there was none ever. */
  readonly lastMs: number | null;
}

interface Mark {
  readonly state: 'running' | 'ended';
  readonly pid: number;
  /** Which process that is, where pids count in the same namespace of the same boot. */
  readonly where: string;
}

/** Beats while the daemon runs. Never throws and never waits: a disk that is in trouble has others to tell of it. */
export class AliveMark {
  readonly #path: string;
  #file: FileHandle | null = null;
  #timer: NodeJS.Timeout | null = null;
  #busy: Promise<void> | null = null;

  constructor(directory: string) {
    this.#path = join(directory, ALIVE);
  }

  start(beatMs = BEAT_MS): void {
    this.#beat();
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /** Says that it ends on purpose. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.#busy;
    await this.#write('ended').catch(() => {});
    await this.#file?.close().catch(() => {});
    this.#file = null;
  }

  #beat(): void {
    this.#busy ??= this.#touch()
      .catch(() => {})
      .finally(() => {
        this.#busy = null;
      });
  }

  async #touch(): Promise<void> {
    const there = await stat(this.#path).catch(() => null);
    const own = await this.#file?.stat().catch(() => null);
    if (there === null || there.ino !== own?.ino) return await this.#write('running');
    const now = new Date();
    await this.#file?.utimes(now, now);
  }

  /** A new file each time: what lies there may be a link, or belong to another user. */
  async #write(state: Mark['state']): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = null;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o750 });
    await rm(this.#path, { force: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    this.#file = await open(this.#path, flags, 0o640);
    const mark: Mark = { state, pid: process.pid, where: here() };
    await this.#file.writeFile(`${JSON.stringify({ schema: SCHEMA, ...mark })}\n`);
  }
}

/** What the log of `directory` shows of its daemon; a log without a mark speaks up to its last line. */
export async function signOfLife(directory: string, nowMs: number): Promise<SignOfLife> {
  const [mark, markMs] = await readMark(join(directory, ALIVE));
  const lineMs = await stat(join(directory, CURRENT)).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
  if (mark === null) return { writing: lineMs !== null && nowMs - lineMs < SILENT_MS, lastMs: lineMs };
  // A line may be a person's, who acknowledges hours later: after its last beat the daemon wrote for one beat at most.
  const itsLineMs = mark.state === 'running' ? Math.min(lineMs ?? 0, markMs + BEAT_MS) : 0;
  const lastMs = Math.max(markMs, itsLineMs);
  return { writing: mark.state === 'running' && nowMs - lastMs < SILENT_MS && lives(mark), lastMs };
}

async function readMark(path: string): Promise<readonly [Mark | null, number]> {
  try {
    await using handle = await openForReading(path);
    const { mtimeMs } = await handle.stat();
    const { schema, state, pid, where } = JSON.parse((await readStart(handle, MAX_BYTES)).toString());
    const good =
      schema === SCHEMA && (state === 'running' || state === 'ended') && Number.isSafeInteger(pid) && pid > 0;
    return [good && typeof where === 'string' ? { state, pid, where } : null, mtimeMs];
  } catch {
    return [null, 0];
  }
}

/** False where its pid can be looked for and is gone; seen from another namespace or host, what it wrote has to do. */
function lives({ pid, where }: Mark): boolean {
  if (where === '' || where !== here()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function here(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
