// faultline notify: a test message to a channel, and what messages would look like, without a daemon.

import { configOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, defineSubCommand, Option } from './define-command.ts';
import type { PreviewOptions } from './notify/preview.ts';
import type { TestOptions } from './notify/send-test.ts';

const test = defineSubCommand<TestOptions, [channel: string | undefined]>({
  name: 'test',
  summary: 'send a test message to a channel, or to all',
  description: 'send a test message and say what came of it: 0 where all of them took it',
  arguments: [argument('[channel]', 'name in notify.channels, or alertmanager; all when left out')],
  options: [configOption('configuration with the channels'), jsonOption()],
  run: async ({ arguments: [channel], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { sendTest } = await import('./notify/send-test.ts');
    await runCommand(io, () => sendTest(channel, options, io));
  },
});

const preview = defineSubCommand<PreviewOptions, [incident: string | undefined]>({
  name: 'preview',
  summary: 'show what would be sent of an incident; nothing is sent',
  arguments: [argument('[incident]', 'id, or its first digits; a made-up one when left out')],
  options: [
    new Option('--channel <name>', 'of this channel alone, or of alertmanager'),
    new Option('--what <what>', 'opened, revised, resolved, escalated … ; as the incident is when left out'),
    configOption('configuration with the channels'),
    logDirectoryOption(),
    jsonOption('whole requests, without secrets'),
  ],
  run: async ({ arguments: [incident], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { previewNotifications } = await import('./notify/preview.ts');
    await runCommand(io, () => previewNotifications(incident, options, io));
  },
});

export const notify = defineCommand({
  name: 'notify',
  group: 'Incidents',
  usage: 'test|preview',
  summary: 'test channels of notifications',
  description: 'channels of notifications: send a test message, or show what would be sent',
  commands: [test, preview],
});
