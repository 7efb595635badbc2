// faultline scan: what broke, by name, out of logs that were saved: files or standard input.

import { SEVERITIES } from '../model/severity.ts';
import { jsonOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { ScanOptions } from './scan/run-scan.ts';

const HELP = `
The form of each line is found by itself. Files may be packed with gzip, xz, bzip2 or zstd, alone or in tar archives. Nothing is written to the incident log or sent anywhere.

Exit status: 0 done, whatever was found; 1 an input could not be read, or no log or host of what was named exists, or with --fail-on an incident that severe was found or no line could be judged; 2 wrong usage.
`;

export const scan = defineCommand<ScanOptions, [paths: string[]]>({
  name: 'scan',
  group: 'Analyse and try',
  usage: 'PATH... [--json]',
  summary: 'find incidents in saved logs',
  description: 'find incidents in saved logs of kernel, jobs and collectives, of one host or of a cluster',
  help: HELP,
  example: 'faultline scan dmesg.txt slurm-812.out, or faultline scan FOLDER',
  arguments: [argument('<path...>', 'files, folders with all below them, "wildcards", or - for standard input')],
  options: [
    jsonOption('one document {schema, inputs, events, incidents, next_to, look_at, progress, readings}'),
    new Option(
      '--format <format>',
      'text (as without it), markdown, json or html (a page of one incident that loads nothing)',
    ),
    new Option('--out <file>', 'write into this file'),
    new Option(
      '--incident <id>',
      'only this incident of those that are found: its id, or its first digits (at least four)',
    ),
    new Option('--since <time>', 'only lines since then: 10m, 2h, 7d, or RFC 3339'),
    new Option('--until <time>', 'only lines until then'),
    new Option(
      '--host <name>',
      'only this host; * for any characters, may be repeated. Where no log names a host: all are of this one',
    ).argParser((name: string, before: readonly string[] = []) => [...before, name]),
    new Option(
      '--fail-on <severity>',
      'end with status 1 where an incident of this severity or worse is found',
    ).choices(SEVERITIES),
  ],
  run: async ({ arguments: [paths], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { runScan } = await import('./scan/run-scan.ts');
    await runCommand(io, async () => io.status(await runScan(paths, options, io)));
  },
});
