// The daemon's own log: JSON lines on standard error, with times and priorities that other tools understand, safe to show.

import { type DestinationStream, type Logger, pino } from 'pino';
import { shownJsonLine } from '../../model/shown-json.ts';
import { goesToJournal, journalPrefix } from '../common/journal.ts';
import { LogDestination } from './log-destination.ts';

/** Lines that standard error does not take are kept up to this, then dropped. */
const LOG_WAITING_BYTES = 256 * 1024;
/** What the end of the daemon waits for lines that are not taken. */
const LAST_LINES_MS = 200;
const STDERR = 2;
const INFO = 30;
const FATAL = 60;

/** pino gives the level of a line to a stream that asks so (pino/docs/api.md, "pino.metadata"). */
interface LeveledStream extends DestinationStream {
  readonly [metadata: symbol]: true;
  lastLevel: number;
}

export interface DaemonLog {
  readonly logger: Logger;
  /** Resolves once its lines are written, or are not taken for too long. */
  settled(): Promise<void>;
}

export function daemonLog(level: string, host: string, environment = process.env): DaemonLog {
  // A pipe answers at once that it is full only where it was opened as Node does; otherwise it holds a thread of the pool.
  void process.stderr;
  const destination = new LogDestination({
    descriptor: STDERR,
    mostBytes: LOG_WAITING_BYTES,
    resumed: (dropped) => {
      const what = `FL1214 ${dropped} lines of this log were dropped: for a time nothing took them`;
      logger.warn({ code: 'FL1214', dropped }, what);
    },
  });
  const journal = goesToJournal(environment.JOURNAL_STREAM, STDERR);
  const stream: LeveledStream = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: INFO,
    write(line: string): void {
      const shown = `${shownJsonLine(line.trimEnd())}\n`;
      destination.write(journal ? journalPrefix(stream.lastLevel) + shown : shown, stream.lastLevel >= FATAL);
    },
  };
  const logger = pino({ level, base: { host }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  // A line about a crash must be out before the crash.
  process.on('exit', () => destination.flush(LAST_LINES_MS));
  return { logger, settled: () => destination.settled(LAST_LINES_MS) };
}
