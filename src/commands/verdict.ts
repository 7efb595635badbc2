// The command `verdict`: tells whether an incident named the right root, for the reliability table.

import { type Command, InvalidArgumentError } from 'commander';
import { isKind } from '../model/kind.ts';
import { sayOfIncident } from './ack.ts';
import { type IncidentCommandDeps, processDeps, runCommand } from './incident-context.ts';
import type { SayOptions } from './say.ts';

interface VerdictOptions extends SayOptions {
  readonly root?: string;
}

export function registerVerdict(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  program
    .command('verdict')
    .description('tell whether an incident named the right root')
    .argument('<id>', 'id, or its first digits (at least four)')
    .argument('<verdict>', 'right or wrong', verdict)
    .option('--root <kind>', 'where it is wrong, what it was really, as a kind: gpu.lost', rootKind)
    .option('--by <name>', 'who judges; you when left out')
    .option('--note <text>', 'one line')
    .option('--config <file>', 'configuration that names the directories')
    .option('--log-directory <directory>', 'an incident of the log in this directory, as the demo leaves one')
    .action((id: string, told: string, options: VerdictOptions) => {
      const root = options.root === undefined ? {} : { root_kind: options.root };
      const what = { kind: 'verdict', verdict: told, ...root } as const;
      return runCommand(deps, () => sayOfIncident(id, what, `called ${told}`, options, deps));
    });
}

function verdict(text: string): string {
  if (text !== 'right' && text !== 'wrong') throw new InvalidArgumentError('Write right or wrong.');
  return text;
}

function rootKind(text: string): string {
  if (!isKind(text)) throw new InvalidArgumentError('Write a kind of docs/reference/kinds.md, for example gpu.lost.');
  return text;
}
