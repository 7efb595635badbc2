// faultline acting: stops all that the daemon does by itself, allows it again, and shows what it did.

import type { LogOptions, SwitchOptions } from './acting/acting.ts';
import { configOption, jsonOption } from './common/options.ts';
import { defineCommand, defineSubCommand, Option } from './define-command.ts';

const CONFIG = configOption('configuration that names the stop file and the directories');

const stop = defineSubCommand<SwitchOptions>({
  name: 'stop',
  summary: 'do nothing any more, at once, whether a daemon answers or not',
  options: [
    new Option('--by <name>', 'who stops it; you when left out'),
    new Option('--why <text>', 'one line: the reason'),
    CONFIG,
  ],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { stopActing } = await import('./acting/acting.ts');
    await runCommand(io, () => stopActing(options, io));
  },
});

const allow = defineSubCommand<SwitchOptions>({
  name: 'allow',
  summary: 'what the rules of the configuration allow may be done again',
  options: [CONFIG],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { allowActing } = await import('./acting/acting.ts');
    await runCommand(io, () => allowActing(options, io));
  },
});

const log = defineSubCommand<LogOptions>({
  name: 'log',
  summary: 'what was done, refused and tried, from the record; and whether it is stopped',
  options: [jsonOption('the records as they are, one a line'), CONFIG],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { showActing } = await import('./acting/acting.ts');
    await runCommand(io, () => showActing(options, io));
  },
});

export const acting = defineCommand({
  name: 'acting',
  group: 'The daemon',
  usage: 'stop|allow|log',
  summary: 'stop what the daemon does by itself, or show it',
  description: 'stop all that the daemon does about incidents by itself, allow it again, or show what it did',
  commands: [stop, allow, log],
});
