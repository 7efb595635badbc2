// The commands of the program as plain data, for what is generated of them: man pages, completions.

import { buildProgram } from '../../../src/commands/program.ts';
import { COMMANDS } from '../../../src/commands/registry.ts';

const VALUE_HINTS = [
  [/file|path/i, 'file'],
  [/dir/i, 'folder'],
];

/** What is behind a flag or in the place of an argument: a file, a folder, one of some words, or anything. */
function kindOfValue(name, choices) {
  if (choices !== undefined && choices.length > 0) return { kind: 'words', words: choices };
  return { kind: VALUE_HINTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'any' };
}

function option({ flags, short, long, description, argChoices, required, optional, defaultValue, hidden }) {
  const value = /<([^>]+)>|\[([^\]]+)\]/.exec(flags);
  return {
    flags,
    names: [short, long].filter((name) => name !== undefined),
    description,
    hidden: hidden === true,
    default: defaultValue,
    value: required || optional ? kindOfValue(value?.[1] ?? value?.[2] ?? '', argChoices) : null,
  };
}

function argument(each) {
  const name = each.name();
  return {
    name,
    required: each.required,
    variadic: each.variadic,
    description: each.description,
    ...{ value: kindOfValue(name, each.argChoices) },
  };
}

function node(command, path, extra = {}) {
  const own = [...path, command.name()];
  const help = command.createHelp();
  return {
    path: own,
    summary: command.summary() || command.description(),
    description: command.description(),
    usage: `${own.join(' ')} ${command.usage()}`.trim(),
    arguments: command.registeredArguments.map(argument),
    options: help.visibleOptions(command).map(option),
    after: textAfter(command),
    commands: command.commands.filter((each) => each.name() !== 'help').map((each) => node(each, own)),
    ...extra,
  };
}

/** What a command adds below its options: examples, exit statuses. */
function textAfter(command) {
  let text = '';
  const take = (part) => {
    text += part;
  };
  command.configureOutput({ writeOut: take, getOutHelpWidth: () => 1000 });
  const whole = command.helpInformation();
  command.outputHelp();
  return text.startsWith(whole) ? text.slice(whole.length).trim() : '';
}

/** The program, with those of its commands that are built. */
export function commandTree() {
  const program = buildProgram();
  const tree = node(program, []);
  const built = new Map(COMMANDS.map((each) => [each.name, each]));
  tree.commands = tree.commands
    .filter(({ path }) => built.get(path.at(-1))?.built)
    .map((each) => ({ ...each, group: built.get(each.path.at(-1)).group }));
  return tree;
}
