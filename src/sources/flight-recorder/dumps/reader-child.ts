// Starts `faultline-fr` on the files of one job and waits for its one answer: dumps are read where nothing can be harmed.

import { spawn } from 'node:child_process';
import type { BriefFlightRecorderDocument } from '../../../model/flight-recorder.ts';

export const DEADLINE_MS = 120_000;
/** A brief document has at most some hundred KiB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The reader was ended by a signal: what it read may be why. */
export class ReaderEnded extends Error {}

export interface ReaderLimits {
  readonly program: string;
  readonly deadlineMs?: number;
}

export interface ReadDumps {
  readonly document: BriefFlightRecorderDocument;
  /** What the kernel refused to take from the reader; empty where it ran without any right. */
  readonly kept: string;
  /** What other hosts are told of these dumps: a `FlightRecorderSummary` as JSON text; null where there is nothing to tell. */
  readonly summary: string | null;
}

/** Rejects with why there is no answer: a reader that was ended by a signal, took too long or said too much. */
export function readDumps(paths: readonly string[], signal: AbortSignal, limits: ReaderLimits): Promise<ReadDumps> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Error('stopped'));
    const child = spawn(limits.program, [String(process.pid)], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (reason: string): void => {
      // The process that reads ends with the one that feeds it.
      child.kill('SIGKILL');
      child.stdout.destroy();
      reject(new Error(reason));
    };
    const onAbort = (): void => end('stopped');
    signal.addEventListener('abort', onAbort, { once: true });
    const { deadlineMs = DEADLINE_MS } = limits;
    const deadline = setTimeout(() => end(`the reader took longer than ${deadlineMs / 1000} s`), deadlineMs);
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BYTES) chunks.push(chunk);
      else end(`the reader said more than ${MAX_BYTES} bytes`);
    });
    child.once('error', (error) => reject(error));
    child.once('close', (code, by) => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', onAbort);
      try {
        if (code !== 0) throw ending(code, by);
        resolve(answer(Buffer.concat(chunks).toString('utf8')));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.on('error', () => {}); // it ended before it read its list: `close` says how
    child.stdin.end(paths.map((path) => `${path}\0`).join(''));
  });
}

function answer(text: string): ReadDumps {
  const [kept = '', line = '', summary = ''] = text.split('\n');
  const document = JSON.parse(line); // its shape is that of the native report, tested in test/native-fr
  if (document?.schema !== 'faultline/fr/1') throw new Error('the reader gave no document');
  return { document, kept, summary: summary === '' ? null : summary };
}

function ending(code: number | null, by: NodeJS.Signals | null): Error {
  if (by !== null) return new ReaderEnded(`the reader was ended by ${by}`);
  if (code !== null && code > 64) return new ReaderEnded(`the reader was ended by signal ${code - 64}`);
  return new Error(
    code === 4 ? 'the dumps need more memory than the reader may take' : `the reader ended with status ${code}`,
  );
}
