// One command as data: what help shows of it, its arguments and options, and the work that is loaded when it is asked for.

import { Argument, type Command, type Option } from 'commander';
import type { CommandIo } from './common/command-io.ts';
import { inSamePlace } from './common/same-place.ts';
import { fit } from './terminal/fit-width.ts';
import { textWidth } from './terminal/output.ts';

export { InvalidArgumentError, Option } from 'commander';

/** Headings of the main help, in its order. */
export const GROUPS = ['The daemon', 'Incidents', 'This host', 'Analyse and try', 'Not built yet'] as const;

export interface CommandCall<Options, Arguments extends readonly unknown[]> {
  readonly options: Options;
  readonly arguments: Arguments;
  /** Whether it was typed, and is not what the option is by default. */
  readonly isGiven: (option: keyof Options & string) => boolean;
  readonly io: CommandIo;
}

interface CommandParts<Options, Arguments extends readonly unknown[]> {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  /** What its own help begins with; the summary where left out. */
  readonly description?: string;
  /** Below the options in its own help: examples, exit statuses. */
  readonly help?: string;
  /** What is behind its name: "<id>", "[file]", "<path...>", with its meaning. */
  readonly arguments?: readonly Argument[];
  /** A whole command line, which is shown where an argument is missing. */
  readonly example?: string;
  readonly options?: readonly Option[];
  /** Gives the exit status, or nothing for 0. Imports what it needs itself: a command costs the others nothing. */
  readonly run?: (call: CommandCall<Options, Arguments>) => Promise<number> | Promise<void>;
  readonly commands?: readonly SubCommand[];
}

export type SubCommand = Readonly<{ addTo: (parent: Command, io: () => CommandIo) => Command; name: string }>;

/** A command of the main help. */
export interface CommandDefinition extends SubCommand {
  readonly group: (typeof GROUPS)[number];
  /** Its arguments and main options, as the main help shows them behind the name. */
  readonly usage: string;
  readonly summary: string;
  readonly built: boolean;
}

export function defineSubCommand<Options = object, Arguments extends readonly unknown[] = []>(
  parts: CommandParts<Options, Arguments>,
): SubCommand {
  return { name: parts.name, addTo: (parent, io) => add(parent, parts, io) };
}

export function defineCommand<Options = object, Arguments extends readonly unknown[] = []>(
  parts: CommandParts<Options, Arguments> & Pick<CommandDefinition, 'group' | 'usage'>,
): CommandDefinition {
  const { name, group, usage, summary } = parts;
  return { name, group, usage, summary, built: true, addTo: (parent, io) => add(parent, parts, io) };
}

/** A command that is promised: it answers with one line and status 2. */
export function notBuilt(name: string, usage: string, summary: string): CommandDefinition {
  const addTo = (parent: Command, io: () => CommandIo) =>
    parent
      .command(name)
      .summary(summary)
      .description(`${summary} (not built yet)`)
      .argument('[arguments...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        io().stderr.write(`faultline ${name}: not built yet\n`);
        io().status(2);
      });
  return { name, group: 'Not built yet', usage, summary, built: false, addTo };
}

export function argument<T>(flags: string, text: string, parse?: (text: string) => T): Argument {
  const made = new Argument(flags, text);
  return parse === undefined ? made : made.argParser(parse);
}

/** Behind what commander reports: of a missing argument an example, of an option that is near no other those that there are. */
export function sayMore(command: Command, example: string | undefined): void {
  const { outputError } = command.configureOutput();
  const more = (text: string): string => {
    if (example !== undefined && /^error: missing required argument [^\n]*\n$/.test(text))
      return `${text.trimEnd()}. For example: ${example}\n`;
    return /^error: unknown option '[^'\n]*'\n$/.test(text) ? `${text.trimEnd()}. ${optionsOf(command)}\n` : text;
  };
  command.configureOutput({ outputError: (text, write) => outputError?.(more(text), write) });
}

/** `There are: --json, --since <time>, --help` */
function optionsOf(command: Command): string {
  const flags = command.options.map(({ short, long, flags: all }) => (short === undefined ? all : (long ?? short)));
  return `There are: ${[...flags, '--help'].join(', ')}`;
}

function add<Options, Arguments extends readonly unknown[]>(
  parent: Command,
  parts: CommandParts<Options, Arguments>,
  io: () => CommandIo,
): Command {
  const { name, summary, description = summary, help, arguments: list = [], options = [], run, commands = [] } = parts;
  const command = parent.command(name).summary(summary).description(description);
  for (const each of list) command.addArgument(each);
  for (const each of options) command.addOption(each);
  sayMore(command, parts.example);
  if (help !== undefined) command.addHelpText('after', () => fit(help, textWidth()));
  for (const each of commands) each.addTo(command, io);
  if (run === undefined) return command;
  return command.action(async () => {
    // Commander has checked both against the lists above.
    const call = {
      options: command.opts() as Options,
      arguments: command.processedArgs as unknown as Arguments,
      isGiven: (option: string): boolean => command.getOptionValueSource(option) === 'cli',
    };
    const own = inSamePlace(io(), command);
    const status = await run({ ...call, io: own });
    if (typeof status === 'number') own.status(status);
  });
}
