// The command line as a whole: its help, its options and its commands.

import { Command, Help } from 'commander';
import { redactUrls } from '../model/redact.ts';
import { safeLines } from '../model/safe-text.ts';
import { type CommandIo, processIo } from './common/command-io.ts';
import { version } from './common/version.ts';
import { GROUPS, sayMore } from './define-command.ts';
import { COMMANDS } from './registry.ts';
import { fit } from './terminal/fit-width.ts';
import { textWidth } from './terminal/output.ts';

/** Descriptions are wrapped down to this width, where commander would let the terminal break them. */
const NARROW_HELP = 10;
/** Each command on a line alone: what starts it in a checkout may be long. */
const AFTER = `
Examples:
  faultline demo
      see one incident happen; needs no GPU and no rights
  faultline doctor
      what this host lets Faultline see
  faultline incidents --since 24h
      what broke since yesterday
  faultline explain 7f3c41
      why, how sure, and what to do
  faultline COMMAND --help
      more about a command

$FAULTLINE_DEBUG=1 is the same as --debug.
Exit status: 0 done; 1 it could not be done; 2 wrong usage or configuration.
`;

/** Usage as the list of commands shows it, by name. */
const USAGES: ReadonlyMap<string, string> = new Map(COMMANDS.map(({ name, usage }) => [name, usage]));

/** What commander reports, with our code, and where to look for a command that is not near any other. */
function usageText(text: string): string {
  const lost = text.includes('unknown command') && !text.includes('Did you mean');
  return safeLines(redactUrls(text))
    .replace(/^error: /, 'FL1200 ')
    .replace(/\n$/, lost ? '. --help lists what there is\n' : '\n');
}

export function buildProgram(io: () => CommandIo = processIo): Command {
  const program = new Command('faultline')
    .usage('COMMAND [options]')
    .description(`Faultline ${version} says what broke on this GPU host, by name, with its evidence.`)
    .version(`faultline ${version}`, '-V, --version', 'print the version')
    .option('--debug', 'print the stack with an error')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({
      minWidthToWrap: NARROW_HELP,
      visibleCommands: (command) =>
        Help.prototype.visibleCommands.call(new Help(), command).filter((each) => each.name() !== 'help'),
      subcommandTerm: (command) =>
        command.parent?.parent ? Help.prototype.subcommandTerm.call(new Help(), command) : commandTerm(command),
      formatHelp: (command, helper) => fit(Help.prototype.formatHelp.call(helper, command, helper), textWidth()),
    })
    .configureOutput({
      getOutHelpWidth: () => textWidth(),
      getErrHelpWidth: () => textWidth(process.stderr),
      outputError: (text, write) => write(usageText(text)),
    })
    .addHelpText('after', () => fit(AFTER, textWidth()))
    .exitOverride();
  sayMore(program, undefined);
  for (const group of GROUPS) {
    for (const definition of COMMANDS.filter((each) => each.group === group)) {
      definition.addTo(program, io).helpGroup(`${group}:`);
    }
  }
  return program;
}

function commandTerm(command: Command): string {
  return `${command.name()} ${USAGES.get(command.name()) ?? ''}`.trimEnd();
}
