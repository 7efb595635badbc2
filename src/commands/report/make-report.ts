// Makes the report that was asked for: the GPU-hours as a table, or the whole period as a page.

import type { CommandIo } from '../common/command-io.ts';
import { CommandError } from '../common/incident-context.ts';
import { type ReportOptions, reportLost } from './report-lost.ts';
import { reportPage } from './report-page.ts';

export async function makeReport(options: ReportOptions, io: CommandIo): Promise<void> {
  const { html, lost, json, sacct } = options;
  if (html === undefined && lost !== true)
    throw new CommandError(2, 'FL1200 say which report: --html FILE for a page, --lost for GPU-hours');
  if (html === undefined) return await reportLost(options, io);
  if (lost === true || json === true || sacct !== undefined)
    throw new CommandError(2, 'FL1200 --html is a page of its own: leave out --lost, --json and --sacct');
  await reportPage(html, options, io);
}
