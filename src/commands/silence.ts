// faultline silence: what operators do not want to hear of for a while; it is watched and kept all the same.

import { LONGEST_MAINTENANCE_MS } from '../model/note.ts';
import { configOption, durationOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, defineSubCommand, Option } from './define-command.ts';
import type { AddOptions, EndOptions, ListOptions } from './silence/silences.ts';

const HINT = 'Write a time from 1s to 30d, for example 2h.';
const bounds = { leastMs: 1000, mostMs: LONGEST_MAINTENANCE_MS, hint: HINT };
const who = [
  new Option('--by <name>', 'who asks for it; you when left out'),
  configOption('configuration that names the directories'),
];

const add = defineSubCommand<AddOptions, [matchers: string[]]>({
  name: 'add',
  summary: 'hide what fits all of these conditions',
  description:
    'hide from channels and Alertmanager what fits all of these conditions: severity, kind, component, component_type, job, user, account, queue, namespace, incident, host and labels of the configuration, with =, !=, =~ and !~',
  help: `
Examples:
  faultline silence add kind=gpu.thermal_throttle --for 4h --why "fans on order, INC-4711"
  faultline silence add 'kind=~"nic[.].*"' 'job="llama-70b"' --for 1h --why "switch upgrade"`,
  example: `faultline silence add 'kind="gpu.lost"' --for 2h`,
  arguments: [argument('<matcher...>', 'condition, such as kind="gpu.lost" or job=~"test-.*"')],
  options: [
    durationOption('--for <time>', 'ends by itself after this: 30m, 2h, 1d; at most 30d', bounds).makeOptionMandatory(),
    new Option('--why <text>', 'one line: the reason').makeOptionMandatory(),
    new Option('--from <time>', 'begins then, such as 2026-12-01T22:00:00Z; now when left out'),
    ...who,
  ],
  run: async ({ arguments: [matchers], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { addSilence } = await import('./silence/silences.ts');
    await runCommand(io, () => addSilence(matchers, options, io));
  },
});

const list = defineSubCommand<ListOptions>({
  name: 'list',
  summary: 'what is hidden now or will be',
  options: [jsonOption(), configOption('configuration that names the log directory'), logDirectoryOption()],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { listSilences } = await import('./silence/silences.ts');
    await runCommand(io, () => listSilences(options, io));
  },
});

const end = (name: 'end' | 'remove', summary: string) =>
  defineSubCommand<EndOptions, [id: string]>({
    name,
    summary,
    example: 'faultline silence end 7f3c41',
    arguments: [argument('<id>', 'as faultline silence list shows it, or its first digits')],
    options: who,
    run: async ({ arguments: [id], options, io }) => {
      const { runCommand } = await import('./common/incident-context.ts');
      const { endSilence } = await import('./silence/silences.ts');
      await runCommand(io, () => endSilence(id, options, io));
    },
  });

export const silence = defineCommand({
  name: 'silence',
  group: 'Incidents',
  usage: 'add|list|end',
  summary: 'hide incidents from channels for a while',
  description: 'hide incidents from channels for a while, with who and why; they are watched and kept all the same',
  commands: [add, list, end('end', 'it is over'), end('remove', 'the same as end')],
});
