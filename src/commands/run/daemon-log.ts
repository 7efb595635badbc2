// The daemon's own log: JSON lines on standard error, with times and priorities that other tools understand, safe to show.

import { type DestinationStream, type Logger, pino } from 'pino';
import { shownJsonLine } from '../../model/shown-json.ts';
import { goesToJournal, journalPrefix } from '../common/journal.ts';

/** Lines that standard error does not take are kept up to this, then dropped. */
const LOG_WAITING_BYTES = 64 * 1024;
const STDERR = 2;
const INFO = 30;

/** pino gives the level of a line to a stream that asks so (pino/docs/api.md, "pino.metadata"). */
interface LeveledStream extends DestinationStream {
  readonly [metadata: symbol]: true;
  lastLevel: number;
  flushSync(): void;
}

export function daemonLog(level: string, host: string, environment = process.env): Logger {
  // Synchronous: a line about a crash must be out before the crash.
  const destination = pino.destination({ dest: STDERR, sync: true, maxLength: LOG_WAITING_BYTES });
  destination.on('error', () => {}); // a full disk under the daemon's own log ends nothing: it is what has to be reported
  const journal = goesToJournal(environment.JOURNAL_STREAM, STDERR);
  const stream: LeveledStream = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: INFO,
    write(line: string): void {
      const shown = `${shownJsonLine(line.trimEnd())}\n`;
      destination.write(journal ? journalPrefix(stream.lastLevel) + shown : shown);
    },
    flushSync: () => destination.flushSync(),
  };
  return pino({ level, base: { host }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
