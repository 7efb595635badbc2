// faultline run: the daemon, as systemd and the DaemonSet start it.

import { configOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';

export const run = defineCommand<{ readonly config?: string; readonly watchConfig?: boolean }>({
  name: 'run',
  group: 'The daemon',
  usage: '[--config F] [--watch-config]',
  summary: 'watch this host: what systemd starts',
  description: 'the daemon: watch this host until a signal stops it',
  options: [
    configOption('configuration file (default: built-in settings, or /etc/faultline/faultline.yaml)'),
    new Option(
      '--watch-config',
      'take up a changed configuration or drop-in without a signal, for a ConfigMap in a pod',
    ),
  ],
  run: async ({ options }) => {
    const { runDaemon } = await import('./run/run-daemon.ts');
    return await runDaemon(options.config, { watch: options.watchConfig === true });
  },
});
