// faultline record: watch this host and keep what the sources saw, to be replayed anywhere.

import { configOption, durationOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';

interface RecordOptions {
  readonly out: string;
  readonly config?: string;
  readonly for?: number;
}

const HINT = 'Write a time above 0, for example 30s, 10m, 2h.';
const ANY_TIME = { leastMs: 1, mostMs: Number.MAX_SAFE_INTEGER, hint: HINT };

export const record = defineCommand<RecordOptions>({
  name: 'record',
  group: 'The daemon',
  usage: '--out F',
  summary: 'watch this host and keep what the sources saw',
  options: [
    new Option('--out <file>', 'the recording to write').makeOptionMandatory(),
    configOption(),
    durationOption('--for <time>', 'end by itself after this long, for example 10m', ANY_TIME),
  ],
  run: async ({ options }) => {
    const { runDaemon } = await import('./run/run-daemon.ts');
    const overrides = { recordPath: options.out, ...(options.for === undefined ? {} : { durationMs: options.for }) };
    return await runDaemon(options.config, overrides);
  },
});
