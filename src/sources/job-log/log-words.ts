// Log words: the scanners for the logs of jobs and servers, made once for all of them, and made again when a user describes other lines.

import type { UserLine } from '../../detection/text/job/user-lines.ts';
import { JOB_WORDS, SERVER_LOG_WORDS, userWords } from '../../detection/text/words/job-words.ts';
import { joined, scannerOf, type WordSet } from '../../detection/text/words/word-set.ts';
import type { NativeWordScanner } from '../../native.ts';

/** What a container's runtime writes of lines that its own form has in a text of JSON, or that follow in parts. */
const CONTAINER_WORDS: WordSet = { words: ['{"log":', ' stdout P', ' stderr P'], anyCase: [] };

export type LogOf = 'job' | 'service';

export class LogWords {
  #user: WordSet | null = null;
  #scanners = new Map<string, NativeWordScanner>();

  constructor(lines: readonly UserLine[]) {
    this.expect(lines);
  }

  /** Lines that the configuration describes, from now on. */
  expect(lines: readonly UserLine[]): void {
    this.#user = userWords(lines);
    this.#scanners = new Map();
  }

  /** Null: every line is to be read. */
  scanner(of: LogOf, inContainer: boolean): NativeWordScanner | null {
    if (this.#user === null) return null;
    const key = `${of} ${inContainer}`;
    const known = this.#scanners.get(key);
    if (known !== undefined) return known;
    const sets = [of === 'job' ? JOB_WORDS : SERVER_LOG_WORDS, this.#user, ...(inContainer ? [CONTAINER_WORDS] : [])];
    const made = scannerOf(joined(...sets), true);
    this.#scanners.set(key, made);
    return made;
  }
}
