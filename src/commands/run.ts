// faultline run: the daemon, as systemd and the DaemonSet start it.

import type { Command } from 'commander';
import { keepHeapSmall } from './small-heap.ts';

export function registerRun(program: Command): void {
  program
    .command('run')
    .description('the daemon: watch this host until it is told to stop')
    .option('--config <file>', 'configuration file (default: built-in settings, or /etc/faultline/faultline.yaml)')
    .action(async (options: { config?: string }) => {
      keepHeapSmall();
      const { runDaemon } = await import('./run-daemon.ts');
      process.exitCode = await runDaemon(options.config, {});
    });
}
