// faultline top: a live view of this host: incidents, GPUs, feeds, jobs, sources.

import { configOption, durationOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';
import type { TopOptions } from './top/run-top.ts';

const HELP = `
Keys: q ends it, p holds it still; i, g, f, j, s show one section alone, a all; up and down scroll; + and - change how often it looks.
Where the output goes to a file or a pipe, or with --once, it is one look as plain text.

Exit status: 0 done; 1 the daemon could not be asked; 2 wrong usage.
`;

export const top = defineCommand<TopOptions>({
  name: 'top',
  group: 'This host',
  usage: '[--once]',
  summary: 'live view: incidents, GPUs, feeds, jobs, sources',
  description: 'a live view of what the daemon on this host sees',
  help: HELP,
  options: [
    new Option('--once', 'one look as plain text'),
    durationOption('--interval <duration>', 'how often it looks', {
      leastMs: 500,
      mostMs: 60_000,
      hint: 'Write 500ms to 60s.',
    }).default(2000, '2s'),
    configOption(),
  ],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { runTop } = await import('./top/run-top.ts');
    await runCommand(io, (closed) => runTop(options, io, closed));
  },
});
