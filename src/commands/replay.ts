// faultline replay: run a recording again to the same incidents, faster than life.

import type { Command } from 'commander';

export function registerReplay(program: Command): void {
  program
    .command('replay <file>')
    .description('run a recording again to the same incidents, faster than life')
    .option('--json', 'one document {schema, recording, events, incidents}')
    .action(async (file: string, options: { json?: boolean }) => {
      const { replay } = await import('./replay-recording.ts');
      process.exitCode = await replay(file, options.json === true);
    });
}
