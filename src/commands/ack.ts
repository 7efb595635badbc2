// faultline ack: an incident is being looked after, and by whom.

import { configOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { NoteOptions } from './notes/send-note.ts';

export const ack = defineCommand<NoteOptions, [id: string]>({
  name: 'ack',
  group: 'Incidents',
  usage: 'ID',
  summary: 'acknowledge an incident',
  description: 'acknowledge an incident: it is being looked after',
  example: 'faultline ack 7f3c41 --note INC-4711',
  arguments: [argument('<id>', 'id, or its first digits (at least four)')],
  options: [
    new Option('--by <name>', 'who looks after it; you when left out'),
    new Option('--note <text>', 'one line, for example the ticket'),
    configOption('configuration that names the directories'),
    logDirectoryOption('an incident of the log in this directory, as the demo leaves one'),
  ],
  run: async ({ arguments: [id], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { noteIncident } = await import('./notes/note-incident.ts');
    await runCommand(io, () => noteIncident(id, { kind: 'ack' }, 'acknowledged', options, io));
  },
});
