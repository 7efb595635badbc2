// Trouble: what a failing disk means, reported once in words that help, and reported again when it is over.

import { codeOrText } from '../../helpers/error-code.ts';

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space there',
  EDQUOT: 'the disk quota is used up: free space there',
  EROFS: 'the file system is read-only: look for storage errors in the kernel log and mount it writable',
  EIO: 'the disk failed to take it: look for storage errors in the kernel log',
  EACCES: 'the daemon may not write there: give its user the directory (chown faultline)',
  EPERM: 'the daemon may not write there: look for an immutable flag (lsattr) or a security policy',
  ELOOP: 'it is a symbolic link, which is not followed: put a directory of its own there',
  ENOTREG: 'a regular file is needed there: move that one away',
  ENOTDIR: 'a part of that path is not a directory',
  EMFILE: 'the daemon has too many files open: raise LimitNOFILE',
};

export interface LogCounts {
  /** Entries whose lines were on disk before they were handed on. */
  readonly written: number;
  /** Entries handed on before their lines were on disk. */
  readonly unavailable: number;
  /** Lines given up because too many waited. */
  readonly dropped: number;
}

export class Trouble {
  readonly #path: string;
  readonly #tell: (code: string, detail: string) => void;
  #current: string | null = null;
  #before: LogCounts | null = null;
  #dropping = false;

  constructor(path: string, tell: (code: string, detail: string) => void) {
    this.#path = path;
    this.#tell = tell;
  }

  get present(): boolean {
    return this.#current !== null;
  }

  /** Why the log cannot be written now, null when it can as far as is known. */
  get why(): string | null {
    return this.#current === null ? null : `${this.#current} ${this.#path}`;
  }

  failed(error: unknown, counts: LogCounts): void {
    const code = codeOrText(error);
    const why = ADVICE[code] ?? 'incidents are handed on without it until it can be written';
    this.#enter(`FL3101 ${code}`, counts, 'FL3101', `${this.#path} could not be written (${code}); ${why}`);
  }

  hanging(deadlineMs: number, counts: LogCounts): void {
    const detail = `${this.#path}: the disk has not taken a write for ${deadlineMs} ms; look for storage stalls in the kernel log`;
    this.#enter('FL3102', counts, 'FL3102', detail);
  }

  /** One line was given up; `counts` are those before it. */
  dropped(backlogBytes: number, counts: LogCounts): void {
    this.#before ??= counts;
    if (this.#dropping) return;
    this.#dropping = true;
    const detail = `more than ${backlogBytes} bytes wait for the disk; the oldest lines are given up, events first`;
    this.#tell('FL3103', `${this.#path}: ${detail}`);
  }

  over(now: LogCounts): void {
    if (this.#current === null && !this.#dropping) return;
    const late = now.unavailable - (this.#before?.unavailable ?? 0);
    const lost = now.dropped - (this.#before?.dropped ?? 0);
    this.#current = null;
    this.#before = null;
    this.#dropping = false;
    this.#tell('FL3104', `${this.#path} is written again; ${late} entries were written late, ${lost} lines were lost`);
  }

  #enter(state: string, counts: LogCounts, code: string, detail: string): void {
    if (this.#current === state) return;
    this.#before ??= counts;
    this.#current = state;
    this.#tell(code, detail);
  }
}
