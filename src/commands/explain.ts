// faultline explain: one incident with its cause, its evidence and what to do.

import { configOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { ExplainOptions } from './incidents/explain-incident.ts';

export const explain = defineCommand<ExplainOptions, [id: string]>({
  name: 'explain',
  group: 'Incidents',
  usage: 'ID',
  summary: 'one incident: cause, evidence and what to do',
  description: 'explain one incident: its cause, its evidence and what to do',
  example: 'faultline explain 7f3c41',
  arguments: [argument('<id>', 'id, or its first digits (at least four)')],
  options: [
    new Option('--format <format>', 'text, markdown, json or html (one file that loads nothing)').default('text'),
    new Option('--out <file>', 'write into this file'),
    configOption('configuration that names the log directory'),
    logDirectoryOption(),
  ],
  run: async ({ arguments: [id], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { explainIncident } = await import('./incidents/explain-incident.ts');
    await runCommand(io, () => explainIncident(id, options, io));
  },
});
