// Source of crash records: finds those of the last days, reads them once, and hands their lines over as the kernel's, of a boot before.

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { codeOrText } from '../../helpers/error-code.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceHealth } from '../source.ts';
import { type Crash, crashesOf, type Piece } from './crash-record.ts';

const SOURCE = 'after-crash';
/** "dmesg-efi-169000000001001", "dmesg-ramoops-0", "dmesg-erst-…", "dmesg.txt" as systemd puts it together. */
const NAME = /^dmesg(?:-[\w.-]{1,64})?(?:\.txt|\.enc\.z)?$/;
const MOST_PIECES = 512;
const MOST_FOLDERS = 256;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_CRASHES = 4;
const OLDEST_MS = 7 * 24 * 3_600_000;
/** Between two pieces of work the event loop has its turn. */
const LINES_AT_ONCE = 500;

export interface AfterCrashOptions {
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
}

export class AfterCrashSource implements Source {
  readonly name = SOURCE;
  readonly #paths: readonly string[];
  readonly #options: AfterCrashOptions;
  #emit: Emit | null = null;
  #crashes: readonly Crash[] | null = null;
  readonly #denied: string[] = [];

  constructor(paths: readonly string[], options: AfterCrashOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#read(emit).catch((error: unknown) => emit.failed?.(error));
  }

  health(): readonly SourceHealth[] {
    const named = { source: SOURCE, remedy: null } as const;
    const [denied] = this.#denied;
    if (this.#crashes === null) return [{ ...named, status: 'absent', detail: 'starting' }];
    if (denied !== undefined && this.#crashes.length === 0) {
      const remedy = 'give the service CAP_DAC_READ_SEARCH, as its unit does';
      return [{ ...named, status: 'no_permission', detail: `${denied}: permission denied`, remedy }];
    }
    const last = this.#crashes.at(-1);
    if (last === undefined) return [{ ...named, status: 'absent', detail: 'no crash of the last seven days was kept' }];
    const when = new Date(last.writtenMs).toISOString();
    const detail = `${this.#crashes.length} kept, the last one ${last.why ?? 'a crash'} at ${when} (${last.lines.length} lines of ${last.name})`;
    return [{ ...named, status: 'works', detail }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
  }

  async #read(emit: Emit): Promise<void> {
    const pieces: Piece[] = [];
    for (const path of this.#paths) pieces.push(...(await this.#piecesIn(path, true)));
    const newest = Date.now() - OLDEST_MS;
    const crashes = crashesOf(pieces.filter(({ writtenMs }) => writtenMs >= newest)).slice(-MOST_CRASHES);
    for (const crash of crashes) await this.#hand(crash, emit);
    this.#crashes = crashes;
  }

  async #piecesIn(path: string, withFolders: boolean): Promise<Piece[]> {
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (['EACCES', 'EPERM'].includes(codeOrText(error))) this.#denied.push(path);
      return [];
    });
    const pieces: Piece[] = [];
    // The whole that systemd put together has all that its pieces have.
    const names = entries.filter((entry) => entry.isFile() && NAME.test(entry.name)).map(({ name }) => name);
    const wanted = names.includes('dmesg.txt') ? ['dmesg.txt'] : names.slice(-MOST_PIECES);
    for (const name of wanted) {
      const text = await textOf(join(path, name)).catch(() => null); // gone, or another user's
      if (text !== null) pieces.push({ name, ...text });
    }
    const folders = withFolders ? entries.filter((entry) => entry.isDirectory()).slice(-MOST_FOLDERS) : [];
    for (const { name } of folders) pieces.push(...(await this.#piecesIn(join(path, name), false)));
    return pieces;
  }

  async #hand(crash: Crash, emit: Emit): Promise<void> {
    const { steady, now } = this.#options;
    for (const [position, { text, facility, priority, wallMs }] of crash.lines.entries()) {
      if (this.#emit === null) return;
      if (position % LINES_AT_ONCE === LINES_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
      emit.text({
        source: SOURCE,
        trust: facility === 0 ? 'kernel' : 'tenant',
        stream: `pstore/${crash.name}@${Math.round(crash.writtenMs)}`,
        position,
        timeMs: steady(wallMs ?? crash.writtenMs),
        timeDigits: wallMs === null ? 0 : 3,
        observedMs: now(),
        text,
        attributes: { priority, facility, history: true },
      });
    }
  }
}

async function textOf(path: string): Promise<{ text: string; writtenMs: number } | null> {
  const info = await lstat(path);
  if (!info.isFile() || info.size > MOST_BYTES) return null;
  const bytes = await readFile(path);
  const plain = path.endsWith('.enc.z') ? inflateSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
  return { text: plain.toString('utf8'), writtenMs: info.mtimeMs };
}
