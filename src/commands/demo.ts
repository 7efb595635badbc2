// faultline demo: a simulated rack over real protocols, the real daemon on it, one incident reported live.

import { jsonOption } from './common/options.ts';
import { defineCommand, Option } from './define-command.ts';

interface DemoOptions {
  readonly scenario: string;
  readonly seed: string;
  readonly export?: string;
  readonly json?: boolean;
  readonly keep?: boolean;
  readonly list?: boolean;
}

const HELP = `
The demo reads nothing of this machine, takes none of its environment, and sends nothing unless --export names where to:
  --export http://localhost:4317      gRPC
  --export http://localhost:4318      HTTP, as any URL with port 4318 or a path
There all of it carries the resource attribute faultline.simulated=true.`;

export const demo = defineCommand<DemoOptions>({
  name: 'demo',
  group: 'Analyse and try',
  usage: '[--scenario NAME]',
  summary: 'one incident live on a simulated rack; no GPU',
  description: 'a simulated rack, the real daemon on it, one incident live; needs no GPU, no root, no network',
  help: HELP,
  options: [
    new Option('--scenario <name|file>', 'a shipped scenario (--list names them) or a scenario file').default(
      'power-sag',
    ),
    new Option('--list', 'name the shipped scenarios'),
    new Option('--seed <n>', 'draws times, values and devices; 0 is the scenario as it is written').default('0'),
    new Option('--export <url>', 'also send to this OTLP endpoint, marked as simulated; nothing is sent otherwise'),
    jsonOption('one document {schema, scenario, seed, events, incidents, truth, right} at the end'),
    new Option('--keep', 'keep the temporary folder whatever the outcome'),
  ],
  run: async ({ options, io }) => {
    if (options.list === true) {
      const { scenarioList } = await import('../simulator/scenario/list.ts');
      io.stdout.write(scenarioList());
      return 0;
    }
    const { demo: runDemo } = await import('./demo/run-demo.ts');
    return await runDemo({
      scenario: options.scenario,
      seed: options.seed,
      exportTo: options.export ?? null,
      json: options.json === true,
      keep: options.keep === true,
    });
  },
});
