// faultline maintenance: declares planned work, ends it, and lists what is in force.

import { LONGEST_MAINTENANCE_MS } from '../model/note.ts';
import { configOption, durationOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { defineCommand, defineSubCommand, Option } from './define-command.ts';
import type { ListOptions, MaintenanceOptions } from './notes/maintenance.ts';

const HINT = 'Write a time from 1s to 30d, for example 2h.';
const bounds = { leastMs: 1000, mostMs: LONGEST_MAINTENANCE_MS, hint: HINT };
const component = new Option(
  '--component <type/id>',
  'what it is done on, for example gpu/0000:9b:00.0; this host when left out',
);
const who = [
  new Option('--by <name>', 'who does it; you when left out'),
  new Option('--note <text>', 'one line, for example the change number'),
  configOption('configuration that names the directories'),
];

const declare = (state: 'start' | 'end', summary: string, options: readonly Option[]) =>
  defineSubCommand<MaintenanceOptions>({
    name: state,
    summary,
    options,
    run: async ({ options: given, io }) => {
      const { runCommand } = await import('./common/incident-context.ts');
      const { declareMaintenance } = await import('./notes/maintenance.ts');
      await runCommand(io, () => declareMaintenance(state, given, io));
    },
  });

const list = defineSubCommand<ListOptions>({
  name: 'list',
  summary: 'what is in force',
  options: [jsonOption(), configOption('configuration that names the log directory'), logDirectoryOption()],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { listMaintenance } = await import('./notes/maintenance.ts');
    await runCommand(io, () => listMaintenance(options, io));
  },
});

export const maintenance = defineCommand({
  name: 'maintenance',
  group: 'Incidents',
  usage: 'start|end|list',
  summary: 'declare planned work, which raises nothing',
  description: 'declare planned work: what happens under it raises nothing',
  commands: [
    declare('start', 'planned work begins now', [
      component,
      durationOption('--for <time>', 'ends by itself after this: 30m, 2h, 1d; 4h when left out, at most 30d', bounds),
      ...who,
    ]),
    declare('end', 'it is over', [component, ...who]),
    list,
  ],
});
