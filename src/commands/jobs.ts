// faultline jobs: whose work is on this host, on which devices, and how each of it is known.

import { configOption, jsonOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';
import type { JobsOptions } from './jobs/list-jobs.ts';

const HELP = `
Where no daemon answers it is one look, with the rights of this user; steps of a job are known to a daemon only.

Exit status: 0 done, also where there is no job; 1 the daemon could not be asked; 2 wrong usage.
`;

export const jobs = defineCommand<JobsOptions>({
  name: 'jobs',
  group: 'This host',
  usage: '[--devices] [--json]',
  summary: 'whose job: user, ranks, GPUs, log, step',
  description: 'the jobs on this host with user, ranks, GPUs, log, framework and step, and how each is known',
  help: HELP,
  options: [new Option('--devices', 'who has each device'), jsonOption(), configOption()],
  run: async ({ options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { listJobs } = await import('./jobs/list-jobs.ts');
    await runCommand(io, () => listJobs(options, io));
  },
});
