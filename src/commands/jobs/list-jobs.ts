// Lists the jobs or devices of this host: what the daemon knows, or one look where none runs.

import { ask, socketCandidates } from '../../api/client.ts';
import { type Config, loadConfig } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import type { DevicesDocument, JobsDocument } from '../../model/documents/jobs.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import { devicesText } from './devices-text.ts';
import { jobsText } from './jobs-text.ts';
import { conflictLines, nothingText } from './known-text.ts';

export interface JobsOptions {
  readonly devices?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const WIDTH = 100;

export async function listJobs(options: JobsOptions, io: CommandIo): Promise<void> {
  const config = await loadConfig(options.config);
  const { document, isOneLook } = await documentOf(options, config);
  if (isOneLook) io.stderr.write(oneLookText());
  if (options.json === true) {
    io.stdout.write(`${jsonLine(document)}\n`);
    return;
  }
  const layout = { width: io.stdout.columns ?? WIDTH, timeZone: io.timeZone, nowMs: io.now() };
  const lines = 'jobs' in document ? jobsText(document, layout) : devicesText(document, layout);
  for (const line of [...lines, ...conflictLines(document, layout.width)]) io.stdout.write(`${line}\n`);
  const count =
    'jobs' in document ? document.jobs.length : document.devices.filter(({ uses }) => uses.length > 0).length;
  const missing = nothingText(document, count, layout.width);
  if (missing !== null) io.stderr.write(`${missing}\n`);
}

type Answer = JobsDocument | DevicesDocument;

async function documentOf(
  { devices }: JobsOptions,
  config: Config,
): Promise<{ readonly document: Answer; readonly isOneLook: boolean }> {
  const path = devices === true ? '/v1/devices' : '/v1/jobs';
  try {
    const answer = await ask('GET', path, socketCandidates(config.directories.runtime));
    return { document: checked(answer, devices === true), isOneLook: false };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const text = errorText(error);
    if (!text.startsWith('FL1203 ')) throw new CommandError(1, text);
  }
  const { lookOnce } = await import('./look-once.ts');
  return { document: await lookOnce(config, devices === true), isOneLook: true };
}

/** What our own daemon sends is a document of its kind; one of an older version does not know the path and says so itself. */
function checked(answer: unknown, devices: boolean): Answer {
  const list = devices ? 'devices' : 'jobs';
  const isWhole = (value: object): value is Answer =>
    [list, 'conflicts', 'lacking'].every((name) => Array.isArray((value as Record<string, unknown>)[name])); // looked at with care
  if (typeof answer === 'object' && answer !== null && isWhole(answer)) return answer;
  throw new CommandError(1, 'FL1205 the daemon sends no list of jobs. Look at its log, or restart it');
}

function oneLookText(uid = process.geteuid?.() ?? null): string {
  const who = uid === null ? '' : ` (uid ${uid})`;
  return `no daemon runs here: one look with the rights of this user${who}. A daemon sees more: systemctl start faultline\n`;
}
