// faultline demo: a simulated rack over real protocols, the real daemon on it, one incident told live.

import type { Command } from 'commander';

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('a simulated rack, the real daemon on it, one incident told live; needs no GPU, no root, no network')
    .option('--scenario <name|file>', 'a shipped scenario or a scenario file', 'power-sag')
    .option('--seed <n>', 'draws times, values and devices; 0 is the scenario as it is written', '0')
    .option('--json', 'one document {schema, scenario, seed, events, incidents, truth, right} at the end')
    .option('--keep', 'keep the temporary folder whatever the outcome')
    .action(async (options: { scenario: string; seed: string; json?: boolean; keep?: boolean }) => {
      const { demo } = await import('./run-demo.ts');
      process.exitCode = await demo({
        scenario: options.scenario,
        seed: options.seed,
        json: options.json === true,
        keep: options.keep === true,
      });
    });
}
