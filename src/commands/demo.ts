// faultline demo: a simulated rack over real protocols, the real daemon on it, one incident told live.

import type { Command } from 'commander';

interface DemoWords {
  readonly scenario: string;
  readonly seed: string;
  readonly export?: string;
  readonly json?: boolean;
  readonly keep?: boolean;
  readonly list?: boolean;
}

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('a simulated rack, the real daemon on it, one incident told live; needs no GPU, no root, no network')
    .option('--scenario <name|file>', 'a shipped scenario (--list names them) or a scenario file', 'power-sag')
    .option('--list', 'name the shipped scenarios')
    .option('--seed <n>', 'draws times, values and devices; 0 is the scenario as it is written', '0')
    .option('--export <url>', 'also send to this OTLP endpoint, marked as simulated; nothing is sent otherwise')
    .option('--json', 'one document {schema, scenario, seed, events, incidents, truth, right} at the end')
    .option('--keep', 'keep the temporary folder whatever the outcome')
    .addHelpText(
      'after',
      `
The demo reads nothing of this machine, takes none of its environment, and sends nothing unless --export names where to:
  --export http://localhost:4317      gRPC
  --export http://localhost:4318      HTTP, as any URL with port 4318 or a path
There all of it carries the resource attribute faultline.simulated=true.`,
    )
    .action(async (options: DemoWords) => {
      if (options.list === true) {
        const { scenarioList } = await import('../simulator/scenario/list.ts');
        process.stdout.write(scenarioList());
        return;
      }
      const { demo } = await import('./run-demo.ts');
      process.exitCode = await demo({
        scenario: options.scenario,
        seed: options.seed,
        exportTo: options.export ?? null,
        json: options.json === true,
        keep: options.keep === true,
      });
    });
}
