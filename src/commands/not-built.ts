// Answers for commands that are promised but not built yet: one line, status 2.

import type { Command } from 'commander';

export function registerNotBuilt(parent: Command, name: string, summary: string): void {
  const path = parent.parent === null ? name : `${parent.name()} ${name}`;
  parent
    .command(name)
    .description(`${summary} (not built yet)`)
    .argument('[arguments...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      process.stderr.write(`faultline ${path}: not built yet\n`);
      process.exitCode = 2;
    });
}
