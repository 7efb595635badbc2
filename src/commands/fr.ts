// faultline fr: which rank the others wait for, from the flight-recorder dumps of a job.

import type { Command } from 'commander';

interface Options {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly trigger?: boolean;
}

export function registerFlightRecorder(program: Command): void {
  program
    .command('fr')
    .description('analyse flight-recorder dumps of one job: which rank the others wait for, and where in the code')
    .argument('<path...>', 'dump files, or folders with them')
    .option('--json', 'one document')
    .option('--follow', 'go on as dumps appear (not built yet)')
    .option('--trigger', 'ask the ranks on this host for dumps first (not built yet)')
    .addHelpText('after', '\nExit status: 0 when dumps could be read, whatever they say; 1 otherwise.')
    .action(async (paths: string[], options: Options) => {
      process.exitCode = await analyse(paths, options);
    });
}

async function analyse(paths: readonly string[], options: Options): Promise<number> {
  for (const name of ['follow', 'trigger'] as const) {
    if (!options[name]) continue;
    process.stderr.write(`FL2402 --${name} is not built yet: give the dumps as files or as a folder\n`);
    return 2;
  }
  const { analyseFlightRecorder } = await import('../native.ts');
  const { showProgress } = await import('./fr/progress.ts');
  const { flightRecorderText } = await import('./fr/text.ts');
  const { plain } = await import('../incidents/report/plain.ts');
  const shown = showProgress(process.stderr);
  const document = await analyseFlightRecorder(paths, { onStart: shown.start }).finally(shown.end);
  for (const error of document.job.errors) process.stderr.write(`${plain(error)}\n`);
  const { stdout } = process;
  if (options.json) stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else {
    const colour = stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
    stdout.write(flightRecorderText(document, { width: 100, colour }));
  }
  if (document.job.dumps.some((dump) => dump.rejected === undefined || dump.entries > 0)) return 0;
  process.stderr.write(
    `FL2401 no flight-recorder dump could be read from ${paths.map((path) => plain(path, 100)).join(' ')}: ` +
      'give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names\n',
  );
  return 1;
}
