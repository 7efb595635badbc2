// Give report: a report in one of its forms, to standard output or into the file that --out names.

import { resolve } from 'node:path';
import { writeTrouble } from '../../helpers/files/file-trouble.ts';
import type { SeveralInput } from '../../incidents/report/html/incidents-page.ts';
import type { ReportInput } from '../../incidents/report/report-input.ts';
import { plain } from '../../model/plain.ts';
import { redactUrls } from '../../model/redact.ts';
import type { CommandIo } from './command-io.ts';
import { CommandError } from './run-command.ts';
import { writeOut } from './write-out.ts';

export interface GivenAs {
  readonly format: string;
  readonly out?: string;
}

const FORMATS: readonly string[] = ['text', 'markdown', 'json', 'html'];
/** What can be done with a file. */
const NEXT: Readonly<Record<string, string>> = {
  html: '. Open it in a browser, or attach it to a ticket: one file, nothing is loaded and nothing runs',
  markdown: '. It can be pasted into a ticket',
};

/** Throws FL3125. */
export function mustBeFormat(format: string): void {
  if (FORMATS.includes(format)) return;
  throw new CommandError(2, `FL3125 --format "${format}" is unknown: use ${FORMATS.slice(0, -1).join(', ')} or html`);
}

/** One incident as a page or for a ticket. */
export async function pageOf(format: 'html' | 'markdown', input: ReportInput): Promise<string> {
  if (format === 'html') {
    const { renderIncidentPage } = await import('../../incidents/report/html/incident-page.ts');
    return redactUrls(renderIncidentPage(input));
  }
  const { renderMarkdown } = await import('../../incidents/report/markdown/markdown.ts');
  return redactUrls(renderMarkdown(input));
}

/** Several incidents as one page, or that there is none. */
export async function pageOfSeveral(input: SeveralInput): Promise<string> {
  const { renderIncidentsPage } = await import('../../incidents/report/html/incidents-page.ts');
  return redactUrls(renderIncidentsPage(input));
}

export async function give(text: string, { format, out }: GivenAs, io: CommandIo): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    if (format === 'html' && io.stdout.isTTY === true)
      io.stderr.write('That was a page for a browser: --out FILE.html writes it into a file\n');
    return;
  }
  await writeOut(out, text).catch((error: unknown) => {
    const why = writeTrouble(error, out, 'Name another file with --out');
    throw new CommandError(1, `FL3126 ${out} could not be written: ${why}`);
  });
  io.stderr.write(`written: ${plain(resolve(out), 4096)}${NEXT[format] ?? ''}\n`);
}
