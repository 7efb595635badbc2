// faultline report: the incidents of this host over some days: one HTML file, or what they cost in GPU-hours.

import { configOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';
import type { ReportOptions } from './report/report-lost.ts';

const HELP = `
Held: GPU-hours that jobs had GPUs of this host. Lost: those in which they did no work, and work since the last checkpoint where a job ended by it. What has no known root is a line of its own. With --sacct these are held against Slurm's accounting of this node.

Exit status: 0 done; 1 the log or the accounting could not be read; 2 wrong usage.
`;

export const report = defineCommand<ReportOptions>({
  name: 'report',
  group: 'Incidents',
  usage: '--html FILE | --lost [--since T]',
  summary: 'incidents over some days: a page, or GPU-hours lost',
  description:
    'the incidents of this host over some days: as one HTML file, or the GPU-hours lost by job, user and cause',
  help: HELP,
  options: [
    new Option(
      '--html <file>',
      'one HTML file that loads nothing: incidents, causes, GPU-hours, devices, verdicts; - for standard output',
    ),
    new Option('--lost', 'GPU-hours that jobs had and lost, by job, user and cause'),
    new Option('--since <time>', 'since then: 10m, 2h, 7d, or RFC 3339').default('7d'),
    new Option('--sacct <file>', "what sacct --json or --parsable2 wrote: held against Slurm's accounting"),
    new Option('--node <name>', 'name of this node in the accounting; the host name when left out'),
    jsonOption(),
    configOption('configuration that names the log directory'),
    logDirectoryOption(),
  ],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { makeReport } = await import('./report/make-report.ts');
    await runCommand(io, () => makeReport(options, io));
  },
});
