// faultline patterns: the named ways in which things break, what each needs, and alert rules made from them.

import { jsonOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { PatternsOptions } from './patterns/show-patterns.ts';

const HELP = `
With --rules it prints rules for Prometheus, one for each pattern (or the one named), over faultline_patterns_open. --runbooks gives the address under which docs/ is served, for their links.

Exit status: 0 done; 2 wrong usage, or no pattern of that name.
`;

export const patterns = defineCommand<PatternsOptions, [name: string | undefined]>({
  name: 'patterns',
  group: 'Analyse and try',
  usage: '[NAME]',
  summary: 'named patterns: what each needs, look-alikes, what to do',
  description: 'the named ways in which things break: what each needs, thresholds, look-alikes, what to do',
  help: HELP,
  arguments: [argument('[name]', 'only this one')],
  options: [
    jsonOption(),
    new Option('--rules', 'alert rules for Prometheus'),
    new Option('--runbooks <url>', 'address under which docs/ is served, for the links of --rules'),
  ],
  run: async ({ arguments: [name], options, io }) => {
    const { runCommand } = await import('./common/incident-context.ts');
    const { showPatterns } = await import('./patterns/show-patterns.ts');
    await runCommand(io, () => showPatterns(name, options, io));
  },
});
