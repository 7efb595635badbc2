// faultline bundle: what a vendor needs of one incident, as one archive without secrets.

import type { BundleOptions } from './bundle/make-bundle.ts';
import { configOption, jsonOption, logDirectoryOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';

export const bundle = defineCommand<BundleOptions, [id: string]>({
  name: 'bundle',
  group: 'Incidents',
  usage: 'ID [--out FILE]',
  summary: 'one archive for the vendor, secrets removed',
  description:
    'make a tar.gz for the vendor: the incident, its samples, the kernel log around it, the parts of this host, the configuration, versions; secrets removed',
  example: 'faultline bundle 7f3c41',
  arguments: [argument('<id>', 'id, or its first digits (at least four)')],
  options: [
    new Option('--out <file>', 'write this file, which must not exist; into a folder under a name of its own'),
    new Option('--anonymous', 'users, hosts and their addresses by numbers'),
    new Option('--nvidia-bug-report', 'run nvidia-bug-report.sh and add its report (as root, up to five minutes)'),
    new Option('--by <name>', 'who makes it; you when left out'),
    new Option('--no-note', 'leave no note on the incident'),
    jsonOption('the manifest as one document'),
    configOption('configuration that names the directories'),
    logDirectoryOption(),
  ],
  help: '\nIt works from the log alone, without the daemon: what cannot be had is named, with why. Exit status: 1 where no archive was made.\n',
  run: async ({ arguments: [id], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { makeBundle } = await import('./bundle/make-bundle.ts');
    await runCommand(io, () => makeBundle(id, options, io));
  },
});
