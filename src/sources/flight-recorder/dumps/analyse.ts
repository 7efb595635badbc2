// Has `faultline-fr` read dumps for an operator: the whole verdict, with progress, and around files that end the process that
// parses them. This process opens none of them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { FlightRecorderDocument } from '../../../model/documents/flight-recorder.ts';
import { nativePath } from '../../../native.ts';
import { signalName } from './signal-name.ts';

/** How long the reader may work on one file, s: the largest takes it one. */
const FILE_SECONDS = 60;
/** The document of ten thousand ranks has some MiB. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface FlightRecorderProgress {
  /** Files found, and how many of them are read. */
  readonly files: number;
  readonly done: number;
  readonly bytes: number;
}

export interface AnalyseOptions {
  readonly signal?: AbortSignal;
  /** Of the summaries that are among the files, where they are of several jobs; left out: the newest. */
  readonly job?: string;
  readonly onStart?: (progress: () => FlightRecorderProgress) => void;
  /** The reader; left out: the one that is installed. */
  readonly program?: string;
  readonly fileSeconds?: number;
  /** Memory that the reader may take; left out: most of what the machine has free. */
  readonly memoryMib?: number;
}

export interface Analysis {
  readonly document: FlightRecorderDocument;
  /** What other hosts need of these dumps: a `FlightRecorderSummary` as JSON text; empty where they are too many. */
  readonly summary: string;
  /** Rights that the kernel refused to take from the reader; empty where it ran without any. */
  readonly kept: string;
}

/** Reads dumps and summaries, of files and folders, and gives the verdict. Rejects with FL2403. */
export async function analyseFlightRecorder(
  paths: readonly string[],
  options: AnalyseOptions = {},
): Promise<FlightRecorderDocument> {
  return (await analyseDumps(paths, options)).document;
}

/** The same, with all that the reader answers. */
export async function analyseDumps(paths: readonly string[], options: AnalyseOptions = {}): Promise<Analysis> {
  const { signal, job = '', program = nativePath('faultline-fr') } = options;
  if (signal?.aborted) throw failed('cancelled');
  const { fileSeconds = FILE_SECONDS, memoryMib = 0 } = options;
  const words = [`${process.pid}`, 'whole', `${fileSeconds}`, `${memoryMib}`, job];
  // Its own process group, so that Ctrl-C reaches this process alone; the reader ends with it.
  const child = spawn(program, words, { env: {}, stdio: 'pipe', detached: true });
  const cancel = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    options.onStart?.(progressOf(child.stderr));
    child.stdin.on('error', () => {}); // it ended before it read all: its status says how
    child.stdin.end(paths.map((path) => `${path}\0`).join(''));
    const [text, [status, by]] = await Promise.all([answerOf(child), ended]);
    const [kept = '', document = '', summary = ''] = text.split('\n');
    if (signal?.aborted) throw failed('cancelled');
    if (status !== 0) throw failed(ending(status, by, document));
    return { document: parsed(document), summary, kept };
  } catch (error) {
    throw error instanceof Failed ? error : failed(startFailure(program, error));
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

class Failed extends Error {}

function failed(why: string): Failed {
  return new Failed(`FL2403 the dumps were not analysed: ${why}`);
}

function startFailure(program: string, error: unknown): string {
  const reason = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  return `${program} could not be run: ${reason}. In a checkout, ./scripts/build makes it`;
}

/** What it answered; a reader that answers more than any job needs is ended. */
async function answerOf(child: ChildProcess & { readonly stdout: Readable }): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of child.stdout as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      child.kill('SIGKILL');
      throw failed(`the reader answered more than ${MAX_BYTES} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** As the reader last wrote it: files, how many are read, bytes. */
function progressOf(stderr: Readable): () => FlightRecorderProgress {
  let last: FlightRecorderProgress = { files: 0, done: 0, bytes: 0 };
  stderr.setEncoding('latin1').on('data', (text: string) => {
    const line = /(\d{1,9}) (\d{1,9}) (\d{1,15})\n$/.exec(text);
    if (line !== null) last = { files: Number(line[1]), done: Number(line[2]), bytes: Number(line[3]) };
  });
  return () => last;
}

function parsed(text: string): FlightRecorderDocument {
  let document: FlightRecorderDocument | null = null;
  try {
    document = JSON.parse(text); // its shape is that of the native report, tested in test/native-fr
  } catch {
    // As one of another schema.
  }
  if (document?.schema !== 'faultline/fr/1') throw failed('the reader gave no document');
  return document;
}

/** `said`: in place of the document; where memory did not suffice, how much there was, MiB. */
function ending(status: number | null, by: NodeJS.Signals | null, said: string): string {
  if (status === null) return `the reader was ended by ${by}`;
  // The process that parses was ended by a signal, which the one that feeds it tells by its own status.
  if (status > 64) return `the reader was ended by ${signalName(status - 64)}`;
  if (status !== 4) return `the reader ended with status ${status}`;
  return `they need more memory than the ${/^\d{1,9}$/.test(said) ? `${said} MiB` : 'memory'} that the reader may take`;
}
