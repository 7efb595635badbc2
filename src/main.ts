// Command line → one command. Data goes to standard output, everything else to standard error.

import './helpers/no-inspector.ts'; // before everything else: until it ran, a signal opens the port
import { CommanderError } from 'commander';
import { shownError } from './commands/common/shown-error.ts';
import { buildProgram } from './commands/program.ts';
import { COMMANDS } from './commands/registry.ts';
import { shapeOutput } from './commands/terminal/output.ts';
import { errorText } from './helpers/error-text.ts';

const words = process.argv.slice(2);
process.title = 'faultline'; // as ps, top, the journal and the kernel's own lines name it
shapeOutput(words, ['COMMAND', ...COMMANDS.map(({ name }) => name)]);

/** One line with its code, and the status that the command ends with. */
function fail(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2); // it has already printed what is wrong
  const message = errorText(error);
  const known = /\bFL\d{4}\b/.test(message);
  const text = known ? message : `FL1000 unexpected: ${message}. Run it again with --debug and report what it prints`;
  process.stderr.write(`${shownError(text)}\n`);
  const debug = words.includes('--debug') || (process.env.FAULTLINE_DEBUG ?? '') !== '';
  if (debug && error instanceof Error) process.stderr.write(`${shownError(error.stack ?? '')}\n`);
  const status = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 1;
  process.exit(status);
}

// A reader that goes away (`| head -1`) ends the command quietly.
process.stdout.on('error', (error) => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  if (code === 'EPIPE') process.exit(0);
  fail(new Error(`FL3126 the output could not be written (${code}): free space there, or send it elsewhere`));
});
process.stderr.on('error', () => {});
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

async function runCommand(): Promise<void> {
  const program = buildProgram();
  if (words.length === 0) program.help({ error: true });
  await program.parseAsync(process.argv);
}

// Not awaited here: a script, as which the bundle is loaded, has no await of its own.
runCommand().catch(fail);
