// Has the running daemon take up its configuration, and says what came of it.

import { ask, socketCandidates } from '../../api/client.ts';
import { loadConfigIfAllowed } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { plain } from '../../model/plain.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';

interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

/** What the daemon answers, as far as it is printed. */
const LISTS = ['started', 'stopped', 'changed', 'taken'] as const;
/** Its sources may have to be stopped first, each within a second. */
const ANSWER_MS = 30_000;

export async function reloadConfig({ config: path, json }: Options, io: CommandIo): Promise<void> {
  const { config } = await loadConfigIfAllowed(path);
  const sockets = socketCandidates(config.directories.runtime);
  const answer = await ask('POST', '/v1/config/reload', sockets, {}, undefined, ANSWER_MS).catch((error: unknown) => {
    throw new CommandError(1, errorText(error));
  });
  const document = typeof answer === 'object' && answer !== null ? answer : {};
  if (json === true) {
    io.stdout.write(`${jsonLine(document)}\n`);
    return;
  }
  for (const warning of textsOf(document, 'warnings')) io.stderr.write(`warning: ${plain(warning)}\n`);
  const done = LISTS.flatMap((what) => {
    const names = textsOf(document, what);
    return names.length === 0 ? [] : [`${what === 'taken' ? 'in force' : what}: ${names.join(', ')}`];
  });
  const restart = textsOf(document, 'needs_restart');
  const file = 'file' in document && typeof document.file === 'string' ? document.file : 'the built-in defaults';
  const nothing = restart.length === 0 ? ['nothing changed'] : [];
  io.stdout.write(`${plain(file)}: ${plain((done.length === 0 ? nothing : done).join('; '))}\n`);
  if (restart.length > 0)
    io.stdout.write(`counts from the next start on: ${plain(restart.join(', '))}. Run: systemctl restart faultline\n`);
}

function textsOf(document: object, name: string): string[] {
  const list: unknown = Reflect.get(document, name);
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
