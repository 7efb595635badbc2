// faultline verdict: whether an incident named the right root, for the reliability table.

import { configOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, InvalidArgumentError, Option } from './define-command.ts';
import type { NoteOptions } from './notes/send-note.ts';

interface VerdictOptions extends NoteOptions {
  readonly root?: string;
}

export const verdict = defineCommand<VerdictOptions, [id: string, verdict: string]>({
  name: 'verdict',
  group: 'Incidents',
  usage: 'ID right|wrong',
  summary: 'note whether an incident was right',
  description: 'note whether an incident named the right root',
  example: 'faultline verdict 7f3c41 right',
  arguments: [
    argument('<id>', 'id, or its first digits (at least four)'),
    argument('<verdict>', 'right or wrong', rightOrWrong),
  ],
  options: [
    new Option('--root <kind>', 'where it is wrong, what it really was, as a kind: gpu.lost'),
    new Option('--by <name>', 'who judges; you when left out'),
    new Option('--note <text>', 'one line'),
    configOption('configuration that names the directories'),
    logDirectoryOption('an incident of the log in this directory, as the demo leaves one'),
  ],
  run: async ({ arguments: [id, called], options, io }) => {
    const { CommandError, runCommand } = await import('./common/incident-context.ts');
    const { isKind } = await import('../model/kind.ts');
    const { noteIncident } = await import('./notes/note-incident.ts');
    await runCommand(io, () => {
      const { root } = options;
      if (root !== undefined && !isKind(root)) {
        const hint = 'Write a kind of docs/reference/kinds.md, for example gpu.lost.';
        throw new CommandError(2, `FL1200 option '--root <kind>' argument '${root}' is invalid. ${hint}`);
      }
      const body = { kind: 'verdict', verdict: called, ...(root === undefined ? {} : { root_kind: root }) } as const;
      return noteIncident(id, body, `called ${called}`, options, io);
    });
  },
});

function rightOrWrong(text: string): string {
  if (text !== 'right' && text !== 'wrong') throw new InvalidArgumentError('Write right or wrong.');
  return text;
}
