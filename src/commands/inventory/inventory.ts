// Lists the parts that the daemon of this host knows, and passes on that one was taken out on purpose.

import { ask, socketCandidates } from '../../api/client.ts';
import { loadConfig } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { plain } from '../../model/plain.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';

export interface InventoryOptions {
  readonly json?: boolean;
  readonly config?: string;
}

interface PartLine {
  readonly part: string;
  readonly serial: string | null;
  readonly model: string | null;
  readonly missing_since: string | null;
}

export async function listParts(options: InventoryOptions, io: CommandIo): Promise<void> {
  const answer = await asked('GET', options);
  if (options.json === true) {
    io.stdout.write(`${jsonLine(answer as object)}\n`); // what the daemon sends is a document
    return;
  }
  const parts = partsOf(answer);
  const width = Math.max(0, ...parts.map(({ part }) => part.length));
  for (const { part, serial, model, missing_since: since } of parts) {
    const which = [model, serial].filter((text) => text !== null).join(' ');
    const state = since === null ? '' : `MISSING since ${since}`;
    io.stdout.write(
      `${plain([part.padEnd(width), which, state].filter((text) => text !== '').join('  ')).trimEnd()}\n`,
    );
  }
  if (parts.length === 0)
    io.stderr.write('no parts are known on this host; faultline doctor says whether the inventory is read\n');
}

export async function acceptPart(part: string, options: InventoryOptions, io: CommandIo): Promise<void> {
  await asked('POST', options, { accept: part });
  io.stdout.write(`${plain(part)} is expected no more; what is in its place later counts as new\n`);
}

async function asked(method: 'GET' | 'POST', options: InventoryOptions, body?: object): Promise<unknown> {
  const { directories } = await loadConfig(options.config);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await ask(method, '/v1/inventory', socketCandidates(directories.runtime), headers, body);
  } catch (error) {
    throw new CommandError(1, errorText(error));
  }
}

function partsOf(answer: unknown): readonly PartLine[] {
  const parts = typeof answer === 'object' && answer !== null && 'parts' in answer ? answer.parts : [];
  return Array.isArray(parts) ? (parts as PartLine[]) : []; // our own daemon's document
}
