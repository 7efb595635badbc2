// faultline record: watch this host and keep what the sources saw, to be replayed anywhere.

import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../config/quantity.ts';
import { keepHeapSmall } from './small-heap.ts';

export function registerRecord(program: Command): void {
  program
    .command('record')
    .description('watch this host and keep what the sources saw')
    .requiredOption('--out <file>', 'the recording to write')
    .option('--config <file>', 'configuration file')
    .option('--for <time>', 'end by itself after this long, for example 10m', duration)
    .action(async (options: { out: string; config?: string; for?: number }) => {
      keepHeapSmall();
      const { runDaemon } = await import('./run-daemon.ts');
      const overrides = { recordPath: options.out, ...(options.for === undefined ? {} : { durationMs: options.for }) };
      process.exitCode = await runDaemon(options.config, overrides);
    });
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms <= 0) throw new InvalidArgumentError('Write a time above 0, for example 30s, 10m, 2h.');
  return ms;
}
