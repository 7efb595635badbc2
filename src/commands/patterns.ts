// faultline patterns: the named ways in which things break, what each needs, and alert rules made from them.

import { configOption, jsonOption } from './common/options.ts';
import { argument, defineCommand, Option } from './define-command.ts';
import type { PatternsOptions } from './patterns/show-patterns.ts';

const HELP = `
With --rules it prints rules for Prometheus, one for each pattern (or the one named), over faultline_patterns_open. --runbooks gives the address under which docs/ is served, for their links.

A site's own patterns are files of YAML in patterns.d next to faultline.yaml, with the fields of catalog/patterns; test FILE plays the examples of one.

Exit status: 0 done; 1 an example of test is not what it must be; 2 wrong usage, no pattern of that name, or a file that is wrong.
`;

export const patterns = defineCommand<PatternsOptions, [name: string | undefined, file: string | undefined]>({
  name: 'patterns',
  group: 'Analyse and try',
  usage: '[NAME] | test FILE',
  summary: 'named patterns: what each needs, look-alikes, what to do',
  description: 'the named ways in which things break: what each needs, thresholds, look-alikes, what to do',
  help: HELP,
  arguments: [
    argument('[name]', 'only this one; or test'),
    argument('[file]', 'of test: a pattern of this site, as YAML'),
  ],
  options: [
    configOption('configuration next to whose patterns.d are the patterns of this site'),
    jsonOption(),
    new Option('--rules', 'alert rules for Prometheus'),
    new Option('--runbooks <url>', 'address under which docs/ is served, for the links of --rules'),
  ],
  run: async ({ arguments: [name, file], options, io }) => {
    const { CommandError, runCommand } = await import('./common/incident-context.ts');
    await runCommand(io, async () => {
      if (name === 'test') {
        if (file === undefined) throw new CommandError(2, 'FL1200 patterns test needs a file: patterns test FILE');
        const { testPattern } = await import('./patterns/test-pattern.ts');
        await testPattern(file, io);
        return;
      }
      if (file !== undefined) throw new CommandError(2, `FL1200 only patterns test takes a file (got ${file})`);
      const { showPatterns } = await import('./patterns/show-patterns.ts');
      await showPatterns(name, options, io);
    });
  },
});
