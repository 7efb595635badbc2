// Client of the local API, for commands that talk to the running daemon.

import { request } from 'node:http';
import { errorCode } from '../helpers/error-code.ts';
import { whoMay } from '../helpers/files/who-may.ts';
import { socketPath as pathIn } from './socket-path.ts';

const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const STANDARD_DIRECTORY = '/run/faultline';

/** Sockets to try, in this order: the configured one, then the system daemon's. */
export function socketCandidates(runtimeDirectory: string): string[] {
  return [...new Set([pathIn(runtimeDirectory), pathIn(STANDARD_DIRECTORY)])];
}

/**
 * Asks the daemon once; the answer's JSON. Throws FL1203 when no daemon listens on any of the sockets, FL1204 when this
 * user may not talk to it, FL1205 when the answer is of no use; what the daemon refuses comes back as its own message.
 */
export async function ask(
  method: 'GET' | 'POST',
  path: string,
  sockets: readonly string[],
  headers: Readonly<Record<string, string>> = {},
  body?: object,
  answerMs = ANSWER_MS,
): Promise<unknown> {
  for (const socket of sockets) {
    try {
      return await askOne(method, path, socket, headers, body, answerMs);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EACCES') {
        throw new Error(`FL1204 this user may not talk to the daemon on ${socket}. ${whoMay(socket)}`);
      }
      if (code !== 'ENOENT' && code !== 'ECONNREFUSED' && code !== 'ENOTDIR') throw error;
    }
  }
  throw new Error(
    `FL1203 no daemon listens on ${sockets.join(' or ')}. Start it: systemctl start faultline, or faultline run`,
  );
}

function askOne(
  method: 'GET' | 'POST',
  path: string,
  socketPath: string,
  headers: Readonly<Record<string, string>>,
  body: object | undefined,
  answerMs: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const broken = (why: string) =>
      new Error(`FL1205 the daemon on ${socketPath} ${why}. Look at its log, or restart it`);
    const options = { socketPath, method, path, headers, agent: false, timeout: answerMs };
    const outgoing = request(options, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > MAX_ANSWER_BYTES) outgoing.destroy(broken('sends too much'));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => {
        const document = parse(Buffer.concat(parts).toString('utf8'));
        if (document === undefined) return reject(broken('does not answer in JSON'));
        if (response.statusCode === 200) return resolve(document);
        reject(new Error(refusal(document) ?? broken(`answers with status ${response.statusCode}`).message));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(broken(`does not answer within ${answerMs / 1000} s`)));
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(document: unknown): string | null {
  if (typeof document !== 'object' || document === null) return null;
  const { code, message } = document as { code?: unknown; message?: unknown }; // read with care just below
  return typeof code === 'string' && typeof message === 'string' ? `${code} ${message}` : null;
}
