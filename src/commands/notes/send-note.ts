// Send note: brings what an operator notes to the daemon, or into the log itself where none runs.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api/api-error.ts';
import { ask, socketCandidates } from '../../api/client.ts';
import { lockInstance } from '../../api/instance-lock.ts';
import { readNote } from '../../api/read-note.ts';
import { socketPath } from '../../api/socket-path.ts';
import type { Config } from '../../daemon/config.ts';
import { loadConfig } from '../../daemon/config.ts';
import { codeOrText, errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { whoMay } from '../../helpers/files/who-may.ts';
import { appendLine } from '../../incidents/log/append-line.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { noteLine } from '../../incidents/log/incident-lines.ts';
import { noteFromDocument } from '../../model/documents/note.ts';
import type { Note } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { becomeOwner } from '../common/act-as-owner.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, logDirectoryOf, SYSTEM_LOG } from '../common/incident-context.ts';

const SYSTEM_STATE = '/var/lib/faultline';
const LOCK_MS = 2_000;

export interface NoteOptions {
  readonly by?: string;
  readonly note?: string;
  readonly config?: string;
  readonly logDirectory?: string;
}

/** Where the log, the lock and the daemon are that a note is for. */
export interface Place {
  readonly host: string;
  readonly log: string;
  readonly state: string;
  /** Empty for a log that is named and is not the configured one: its daemon, if there was one, is not here. */
  readonly sockets: readonly string[];
}

/** Log, lock and socket of one and the same daemon: a note on an incident must not end up in another's log. */
export async function placeOf(options: NoteOptions): Promise<Place> {
  const { host, file, directories }: Config = await loadConfig(options.config);
  const log = await logDirectoryOf(options);
  const system = file === null && resolve(log) === SYSTEM_LOG;
  const another = options.logDirectory !== undefined && !system && resolve(log) !== resolve(directories.log);
  if (another) return { host, log, state: log, sockets: [] };
  return {
    host,
    log,
    state: system ? SYSTEM_STATE : directories.state,
    sockets: system ? socketCandidates(directories.runtime) : [socketPath(directories.runtime)],
  };
}

/** The user at the keyboard: behind sudo the person, not root. It is a claim, not a proof. */
export function noteAuthor(options: NoteOptions, environment: NodeJS.ProcessEnv = process.env): string {
  if (options.by !== undefined) return options.by;
  const { SUDO_USER: behind } = environment;
  if (behind !== undefined && behind !== '') return behind;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a user without an entry, as in many containers
  }
}

/** What the daemon doubts of a note that it took. */
function doubtIn(answer: unknown): string | null {
  return typeof answer === 'object' && answer !== null && 'warning' in answer && typeof answer.warning === 'string'
    ? answer.warning
    : null;
}

function idIn(answer: unknown): string {
  const note = typeof answer === 'object' && answer !== null && 'note' in answer ? noteFromDocument(answer.note) : null;
  return note?.id ?? 'ID';
}

/** What the daemon made of it, null when none listens. Throws a CommandError for what it refuses. */
export async function sendNote(place: Place, body: object, io: CommandIo): Promise<Pick<Note, 'id'> | null> {
  if (place.sockets.length === 0) return null;
  try {
    const answer = await ask('POST', '/v1/notes', place.sockets, { 'content-type': 'application/json' }, body);
    if (typeof answer === 'object' && answer !== null && 'written' in answer && answer.written === false) {
      io.stderr.write(
        'it counts, but the disk has not taken it yet: the log of the daemon says why (journalctl -u faultline)\n',
      );
    }
    const doubt = doubtIn(answer);
    if (doubt !== null) io.stderr.write(`warning: ${plain(doubt)}\n`);
    return { id: idIn(answer) };
  } catch (error) {
    const message = errorText(error);
    if (message.startsWith('FL1203 ')) return null;
    throw new CommandError(message.startsWith('FL3402 ') ? 2 : 1, message);
  }
}

/** Writes the note itself. The lock keeps a daemon from starting in between, and tells when one runs after all. */
export async function writeNote(place: Place, body: object, host: string, io: CommandIo): Promise<Pick<Note, 'id'>> {
  try {
    becomeOwner([place.log, place.state]);
  } catch (error) {
    throw new CommandError(1, errorText(error));
  }
  const lock = existsSync(join(place.state, 'instance.lock')) ? await locked(place) : null;
  try {
    const note = readNote(body, host, io.now());
    await appendLine(place.log, noteLine(note));
    return note;
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(2, `${error.code} ${error.message}`);
    const path = join(place.log, CURRENT);
    const remedy = remedyOf(errorCode(error), path);
    throw new CommandError(
      1,
      place.sockets.length === 0
        ? `FL3406 ${path} could not be written (${codeOrText(error)}). ${remedy}, or use a copy of it`
        : `FL3406 no daemon runs, and ${path} could not be written (${codeOrText(error)}). Start the daemon, or: ${remedy}`,
    );
  } finally {
    lock?.release();
  }
}

function remedyOf(code: string | null, path: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Free space there';
  if (code === 'ENOENT') return 'Name with --config the configuration of a daemon that ran here';
  return code === 'EACCES' ? whoMay(path) : 'Use sudo';
}

/** Another command may hold the lock for a moment, as two operators may judge at once; a daemon holds it for good. */
async function locked(place: Place): Promise<{ release(): void }> {
  for (const lastMs = performance.now() + LOCK_MS; ; await sleep(LOCK_MS / 40)) {
    try {
      return lockInstance(place.state);
    } catch (error) {
      const message = errorText(error);
      if (!message.startsWith('FL1201 ')) throw new CommandError(1, message);
      if (performance.now() < lastMs) continue;
      const [socket] = place.sockets;
      throw new CommandError(
        1,
        `FL3403 a daemon holds the lock of ${place.state} but does not listen on ${socket}: nothing was written. Try again in half a minute, or restart it: systemctl restart faultline`,
      );
    }
  }
}
