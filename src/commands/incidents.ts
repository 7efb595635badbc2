// faultline incidents: the incidents of this host, as a list or as they happen.

import { SEVERITIES } from '../model/severity.ts';
import { configOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';
import type { IncidentsOptions } from './incidents/list-incidents.ts';

const STATUSES = `
Exit status: 0 done; 1 the log could not be read, or with --fail-on an incident that counts is listed; 2 wrong usage.

An incident counts that is open, of that severity or worse, and not known to be rooted elsewhere. One that was injected or is unconfirmed does not.
`;

const severity = (flags: string, text: string): Option => new Option(flags, text).choices(SEVERITIES);

export const incidents = defineCommand<IncidentsOptions>({
  name: 'incidents',
  group: 'Incidents',
  usage: '[--follow] [--json]',
  summary: 'list the incidents of this host',
  description: 'list the incidents in the local log',
  help: STATUSES,
  options: [
    new Option('--follow', 'continue with each new revision'),
    new Option('--since <time>', 'only those open or changed since: 10m, 2h, 3d, or RFC 3339'),
    new Option('--until <time>', 'only those opened until then, written alike'),
    new Option('--open', 'only those that are open'),
    new Option('--unacked', 'only those that are open and not acknowledged'),
    severity('--severity <severity>', 'only those of this severity or worse'),
    new Option('--kind <kind>', 'only those with a root of this kind; * for any characters, may be repeated').argParser(
      (kind: string, before: readonly string[] = []) => [...before, kind],
    ),
    new Option('--pattern <pattern>', 'only those that are this named pattern; * for any characters'),
    new Option('--component <component>', 'only those about this component, as type/id'),
    new Option('--job <job>', 'only those about this job or service'),
    severity('--fail-on <severity>', 'end with status 1 where one listed is open and this severe or worse'),
    new Option('--reliability', 'how often they were right, by the verdicts in the log'),
    jsonOption('one document a line'),
    configOption('configuration that names the log directory'),
    logDirectoryOption(),
  ],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { listIncidents } = await import('./incidents/list-incidents.ts');
    const { keepYoungSmall } = await import('./incidents/small-young.ts');
    keepYoungSmall(); // once all is loaded: V8 takes no compiled code that was made with other flags
    await runCommand(io, (closed) => listIncidents(options, io, closed));
  },
});
