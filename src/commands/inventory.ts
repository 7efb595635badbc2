// faultline inventory: the parts that this host has had, which of them are missing, and which of those are expected no more.

import { configOption, jsonOption } from './common/options.ts';
import { argument, defineCommand, defineSubCommand } from './define-command.ts';
import type { InventoryOptions } from './inventory/inventory.ts';

const config = configOption('configuration that names the directories');

const list = defineSubCommand<InventoryOptions>({
  name: 'list',
  summary: 'the parts, and since when one is missing',
  options: [jsonOption(), config],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { listParts } = await import('./inventory/inventory.ts');
    await runCommand(io, () => listParts(options, io));
  },
});

const accept = defineSubCommand<InventoryOptions, [string]>({
  name: 'accept',
  summary: 'a part was taken out on purpose: expect it no more',
  example: 'faultline inventory accept gpu/0000:9b:00.0',
  arguments: [argument('<part>', 'as list shows it, for example gpu/0000:9b:00.0')],
  options: [config],
  run: async ({ options, arguments: [part], io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { acceptPart } = await import('./inventory/inventory.ts');
    await runCommand(io, () => acceptPart(part, options, io));
  },
});

export const inventory = defineCommand({
  name: 'inventory',
  group: 'This host',
  usage: 'list|accept',
  summary: 'the parts of this host, and which are missing',
  commands: [list, accept],
});
