// Same place: a command that a message proposes is about the configuration and the log that this command was given.

import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';

/** As commander keeps them, with how they are written. */
const PLACES = [
  ['config', '--config'],
  ['logDirectory', '--log-directory'],
] as const;
const NAMED = /\bfaultline ([a-z][a-z-]{1,30})(?: ([a-z][a-z-]{1,30}))?/g;
/** Commands whose standard output is sentences; a report is the same wherever its log is. */
const SENTENCES: ReadonlySet<string> = new Set([
  'ack',
  'inject',
  'verdict',
  'maintenance',
  'silence',
  'notify',
  'inventory',
  'jobs',
]);
const REACHES = 200;
const SAFE = /^[\w./@%+=:,-]+$/;

/** `command`: the one that runs; what it writes names others with the places that it was given itself. */
export function inSamePlace(io: CommandIo, command: Command): CommandIo {
  const options: Readonly<Record<string, unknown>> = command.opts();
  const given = PLACES.flatMap(([key, flag]) => {
    const value = options[key];
    return typeof value === 'string' && value !== '' ? [{ flag, value }] : [];
  });
  if (given.length === 0) return io;
  const root = rootOf(command);
  const named = (text: string) => withPlaces(text, given, root);
  const top = command.parent === root ? command : (command.parent ?? command);
  const isText = options.json !== true && SENTENCES.has(top.name());
  // Not a copy: the time zone is found out only once it is asked for.
  return Object.create(io, {
    stderr: { value: mapped(io.stderr, named) },
    ...(isText ? { stdout: { value: mapped(io.stdout, named) } } : {}),
  });
}

/** What a command needs to look where this one did: ` --config FILE`, or nothing. */
export function placeWords(options: { readonly config?: string; readonly logDirectory?: string }): string {
  return PLACES.flatMap(([key, flag]) => (options[key] ? [` ${flag} ${quoted(options[key])}`] : [])).join('');
}

/** As a shell takes it for one word. */
function quoted(value: string): string {
  return SAFE.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

interface Place {
  readonly flag: string;
  readonly value: string;
}

function withPlaces(text: string, given: readonly Place[], root: Command): string {
  return text.replace(NAMED, (found: string, name: string, second: string | undefined, at: number) => {
    const command = root.commands.find((each) => each.name() === name);
    if (command === undefined) return found;
    const inner = second === undefined ? undefined : command.commands.find((each) => each.name() === second);
    const [line = ''] = text.slice(at, at + REACHES).split('\n');
    const takes = (flag: string) => (inner ?? command).options.some(({ long }) => long === flag);
    const more = given.filter(({ flag }) => takes(flag) && !line.includes(flag));
    const head = inner === undefined ? `faultline ${name}` : `faultline ${name} ${second}`;
    const words = more.map(({ flag, value }) => ` ${flag} ${quoted(value)}`);
    return `${head}${words.join('')}${found.slice(head.length)}`;
  });
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** The same stream, but that text which is written goes through `change`. */
function mapped<S extends CommandIo['stderr']>(stream: S, change: (text: string) => string): S {
  return new Proxy(stream, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'write')
        return (chunk: unknown, ...rest: []) =>
          target.write(typeof chunk === 'string' ? change(chunk) : chunk, ...rest);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
