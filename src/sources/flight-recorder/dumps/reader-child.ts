// Has `faultline-fr` read the files of one job and waits for its one answer: dumps are read where nothing can be harmed.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';
import type { OwnProcesses } from '../../../identity/own-processes.ts';
import type { BriefFlightRecorderDocument } from '../../../model/documents/flight-recorder.ts';
import type { NamedBy } from '../../../model/native-files.ts';
import { native, type ProgramEnd } from '../../../native.ts';
import { signalName } from './signal-name.ts';

export const DEADLINE_MS = 120_000;
/** A document is kept to some hundred KiB where it is written (`MAX_BRIEF` in report.cc), a summary to a MiB. */
const MAX_BYTES = 2 * 1024 * 1024;
/** What takes JavaScript a millisecond or two to parse. */
const MAX_DOCUMENT = 512 * 1024;

/** The reader was ended by a signal: what it read may be why. */
export class ReaderEnded extends Error {}

export interface ReaderLimits {
  readonly program: string;
  readonly deadlineMs?: number;
  /** Who named the paths, where that was a process. */
  readonly namedBy?: NamedBy | undefined;
  /** Learns of the reader's processes, so that what the kernel says of them is known to be our own. */
  readonly own?: OwnProcesses;
}

export interface ReadDumps {
  readonly document: BriefFlightRecorderDocument;
  /** What the kernel refused to take from the reader; empty where it ran without any right. */
  readonly kept: string;
  /** What other hosts need of these dumps: a `FlightRecorderSummary` as JSON text; null where there is nothing for them. */
  readonly summary: string | null;
}

interface Ended {
  readonly end: ProgramEnd;
  readonly number: number;
  /** What it said, in lines. */
  readonly kept: string;
  readonly document: string;
  readonly summary: string;
}

/** Rejects with why there is no answer: a reader that was ended by a signal, took too long or said too much. */
export async function readDumps(
  paths: readonly string[],
  signal: AbortSignal,
  limits: ReaderLimits,
): Promise<ReadDumps> {
  signal.throwIfAborted();
  const { program, deadlineMs = DEADLINE_MS, namedBy, own } = limits;
  const run = { program, deadlineMs };
  const { end, number, kept, document: text, summary } = await ended(paths, signal, run, namedBy, own);
  if (end !== 'exited' || number !== 0) throw ending(end, number, paths.length, text, run);
  // Taking over the texts was this turn's work.
  await nextTurn();
  if (text.length > MAX_DOCUMENT) throw new Error(`the reader gave a document of ${text.length} characters`);
  const document = JSON.parse(text); // its shape is that of the native report, tested in test/native-fr
  if (document?.schema !== 'faultline/fr/1') throw new Error('the reader gave no document');
  return { document, kept, summary: summary === '' ? null : summary };
}

interface Run {
  readonly program: string;
  readonly deadlineMs: number;
}

function ended(
  paths: readonly string[],
  signal: AbortSignal,
  limits: Run,
  namedBy: NamedBy | undefined,
  own: OwnProcesses | undefined,
): Promise<Ended> {
  return new Promise((resolve) => {
    const onAbort = (): void => reader.stop();
    const by = namedBy === undefined ? '' : `@${namedBy.join(',')}:`;
    const list = paths.map((path) => `${by}${path}\0`).join('');
    const options = { ...limits, input: list, mostBytes: MAX_BYTES };
    const reader = new (native().ProgramRun)(options, (end, number, kept, document, summary) => {
      signal.removeEventListener('abort', onAbort);
      forget?.();
      resolve({ end, number, kept, document, summary });
    });
    const forget = own?.add('flight-recorder', () => reader.pids());
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** `said`: in place of the document; where memory did not do, how much there was, MiB. */
function ending(end: ProgramEnd, number: number, files: number, said: string, limits: Run): Error {
  const { program, deadlineMs } = limits;
  const room = /^\d{1,6}$/.test(said) && Number(said) < 1024 ? `${said} MiB` : '1 GiB';
  switch (end) {
    case 'not_started':
      return new Error(`${program} could not be started: ${getSystemErrorName(-number)}`);
    case 'stopped':
      return new Error('stopped');
    case 'late':
      return new Error(`the reader took longer than ${deadlineMs / 1000} s`);
    case 'too_much':
      return new Error(`the reader said more than ${MAX_BYTES} bytes`);
    case 'signalled':
      return new ReaderEnded(`the reader was ended by ${signalName(number)}`);
    case 'exited':
      // The process that parses was ended by a signal, which the one that feeds it tells.
      if (number > 64) return new ReaderEnded(`the reader was ended by ${signalName(number - 64)}`);
      return new Error(
        number === 4
          ? `${files} files need more memory than the ${room} that the reader may take`
          : `the reader ended with status ${number}`,
      );
  }
}
