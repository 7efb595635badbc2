// faultline run: the daemon, as systemd and the DaemonSet start it.

import { configOption } from './common/options.ts';
import { defineCommand } from './define-command.ts';
import { keepHeapSmall } from './small-heap.ts';

export const run = defineCommand<{ readonly config?: string }>({
  name: 'run',
  group: 'The daemon',
  usage: '[--config F]',
  summary: 'watch this host: what systemd starts',
  description: 'the daemon: watch this host until a signal stops it',
  options: [configOption('configuration file (default: built-in settings, or /etc/faultline/faultline.yaml)')],
  run: async ({ options }) => {
    keepHeapSmall();
    const { runDaemon } = await import('./run/run-daemon.ts');
    return await runDaemon(options.config, {});
  },
});
