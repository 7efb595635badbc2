// Stops acting, allows it again, and shows the record: by files alone, so that no daemon has to answer.

import { constants } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { type Config, loadConfig } from '../../daemon/config.ts';
import { codeOrText, errorCode } from '../../helpers/error-code.ts';
import { openOwn, readOwn } from '../../helpers/files/own-file.ts';
import { whoMay } from '../../helpers/files/who-may.ts';
import { plain } from '../../model/plain.ts';
import { formatTime } from '../../model/time.ts';
import { auditFileIn, stopFileIn } from '../../sinks/acting/places.ts';
import { isStopped } from '../../sinks/acting/stop-file.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import { noteAuthor } from '../notes/send-note.ts';

export interface SwitchOptions {
  readonly by?: string;
  readonly why?: string;
  readonly config?: string;
}

export interface LogOptions {
  readonly json?: boolean;
  readonly config?: string;
}

const MOST_BYTES = 64 * 1024 * 1024;
const SHOWN = 50;
/** Never one that is there, by whatever link. */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

function stopFileOf({ acting, directories }: Config): string {
  return acting?.stopFile ?? stopFileIn(directories.state);
}

export async function stopActing(options: SwitchOptions, io: CommandIo): Promise<void> {
  const path = stopFileOf(await loadConfig(options.config));
  const by = noteAuthor(options);
  const said = { schema: 'faultline/acting-stop/1', by, why: options.why ?? null, time: formatTime(io.now(), 3) };
  if (!isStopped(path)) {
    try {
      await using file = await openOwn(path, NEW);
      await file.writeFile(`${JSON.stringify(said)}\n`);
      await file.sync();
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw cannot(path, 'made', error);
    }
  }
  io.stdout.write(`stopped: ${path} is there; nothing is done until faultline acting allow\n`);
}

export async function allowActing(options: SwitchOptions, io: CommandIo): Promise<void> {
  const config = await loadConfig(options.config);
  const path = stopFileOf(config);
  await unlink(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw cannot(path, 'removed', error);
  });
  io.stdout.write(`${modeText(config)}\n`);
}

export async function showActing(options: LogOptions, io: CommandIo): Promise<void> {
  const config = await loadConfig(options.config);
  const path = auditFileIn(config.directories.log);
  const text = await readOwn(path, MOST_BYTES).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw cannot(path, 'read', error);
  });
  const lines = text.split('\n').filter((line) => line !== '');
  if (options.json === true) return void io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  for (const line of lines.slice(-SHOWN)) io.stdout.write(`${lineText(line)}\n`);
  const stopped = isStopped(stopFileOf(config));
  io.stderr.write(`${stopped ? `stopped by ${stopFileOf(config)}: faultline acting allow` : modeText(config)}\n`);
}

function modeText({ acting }: Config): string {
  if (acting === null) return 'acting.mode is off: nothing is done in any case';
  return `${acting.dryRun ? 'dry run: it is said what would be done' : 'on: what the rules allow is done'}; ${acting.rules.length} rules`; // biome-ignore format: one line
}

function lineText(line: string): string {
  try {
    const { time, step, action, target, incident_id: id, type, why, words } = JSON.parse(line) as Readonly<Record<string, unknown>>; // biome-ignore format: one line
    const reason = type === null ? words : `${String(type)}: ${String(why)}`;
    return plain([time, String(step).padEnd(8), action, target, String(id).slice(0, 6), reason].map(String).join('  '), 400); // biome-ignore format: one line
  } catch {
    return plain(`not a record: ${line}`, 200);
  }
}

function cannot(path: string, what: string, error: unknown): CommandError {
  const code = codeOrText(error);
  return new CommandError(1, `FL3416 ${path} could not be ${what} (${code}). ${code === 'EACCES' || code === 'EPERM' ? whoMay(path) : 'Its folder must be there'}`); // biome-ignore format: one line
}
