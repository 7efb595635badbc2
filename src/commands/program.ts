// The command line as a whole: its help, its options, and the one command that is loaded.

import { Command } from 'commander';
import { redactUrls } from '../model/redact.ts';
import { safeLines } from '../model/safe-text.ts';
import { registerNotBuilt } from './not-built.ts';
import { COMMANDS, type CommandRow } from './table.ts';
import { fit } from './terminal/fit-width.ts';
import { textWidth } from './terminal/output.ts';
import { version } from './version.ts';

/** Descriptions are wrapped down to this width, where commander would let the terminal break them. */
const NARROW_HELP = 10;
const EXAMPLES = `
Examples
  faultline demo                     see one incident happen; needs no GPU and no rights
  faultline doctor                   what this host lets Faultline see
  faultline incidents --since 24h    what broke since yesterday
  faultline explain 7f3c41           why, how sure, and what to do
  faultline COMMAND --help           more about a command
`;

/** What commander says, with our code, and where to look for a command that is not near any other. */
function usageText(text: string): string {
  const lost = text.includes('unknown command') && !text.includes('Did you mean');
  return safeLines(redactUrls(text))
    .replace(/^error: /, 'FL1200 ')
    .replace(/\n$/, lost ? '. --help lists what there is\n' : '\n');
}

/** With `wanted` "all" every command is loaded, which only the reference pages need. */
export async function buildProgram(wanted: string | null): Promise<Command> {
  const program = new Command('faultline')
    .description(
      'Says what broke on this GPU host, by name, with its evidence: from the power feed to the training step.',
    )
    .version(`faultline ${version}`, '-V, --version', 'print the version')
    .option('--debug', 'print the stack with an error')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({
      minWidthToWrap: NARROW_HELP,
      formatHelp: (command, helper) =>
        fit(command.parent === null ? mainHelp() : plainHelp(command, helper), textWidth()),
    })
    .configureOutput({
      getOutHelpWidth: () => textWidth(),
      getErrHelpWidth: () => textWidth(process.stderr),
      outputError: (text, write) => write(usageText(text)),
    })
    .exitOverride();
  for (const row of COMMANDS) {
    if (row.load === null) registerNotBuilt(program, row.name, row.summary);
    else if (wanted === 'all' || wanted === row.name) (await row.load())(program);
    else program.command(row.name).description(row.summary);
  }
  return program;
}

/** The first word that is no option, or the one after "help": the command that is asked for. */
export function wantedCommand(words: readonly string[]): string | null {
  return words.find((word) => !word.startsWith('-') && word !== 'help') ?? null;
}

function plainHelp(command: Command, helper: ReturnType<Command['createHelp']>): string {
  return Object.getPrototypeOf(helper).formatHelp.call(helper, command, helper);
}

function mainHelp(): string {
  const line = (row: CommandRow) => `  ${`${row.name} ${row.usage}`.trimEnd().padEnd(34)} ${row.summary}`;
  const built = COMMANDS.filter((row) => row.load !== null).map(line);
  const later = COMMANDS.filter((row) => row.load === null).map((row) => row.name);
  return `faultline ${version}: says what broke on this GPU host, by name, with its evidence

Usage  faultline COMMAND [options]

Commands
${built.join('\n')}

Not built yet  ${later.join(', ')}

Options
  --version                          print the version
  --debug                            print the stack with an error (also FAULTLINE_DEBUG=1)
${EXAMPLES}
Exit status: 0 done; 1 it could not be done; 2 wrong usage or configuration.
`;
}
