// Own program: how this program is started again from here; a checkout puts no command on the path.

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { shellWord } from './shell-word.ts';

const NAME = 'faultline';

/** Where sudo looks for a command, whatever the path of its caller is. */
const OF_ROOT = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * `faultline`, or of a checkout whose command the path does not have what starts it: its script, which finds the Node for it; from within it as
 * a relative path, from any other folder, and as root, for sudo sets another path, as one that can be pasted anywhere.
 */
export function ownProgram(asRoot = false): string {
  const entry = process.argv[1] ?? '';
  const root = checkoutOf(entry);
  if (root === null || basename(entry) === NAME) return NAME; // a link of this name is the user's own command
  const folders = asRoot ? OF_ROOT : (process.env.PATH ?? '').split(delimiter);
  if (isOnPath(folders, NAME)) return NAME;
  const isWithin = `${realOf('.')}/`.startsWith(`${root}/`);
  const pathOf = (file: string): string => (isWithin ? relative(realOf('.') ?? '.', file) : file);
  const script = join(root, 'scripts', NAME);
  // Root finds the Node of a checkout, or on root's path, but not one on a user's path.
  const isFound = !asRoot || process.execPath.startsWith(`${root}/`) || OF_ROOT.includes(dirname(process.execPath));
  if (isFound && isCommand(script)) return shellWord(asRoot ? script : started(pathOf(script)));
  // The node of the path may be older than this one, which a script may have put before it.
  const own = process.execPath.startsWith(`${root}/`) ? pathOf(process.execPath) : 'node';
  return `${shellWord(asRoot ? process.execPath : own)} ${shellWord(pathOf(realOf(entry) ?? entry))}`;
}

function isOnPath(folders: readonly string[], command: string): boolean {
  return folders.some((folder) => isCommand(join(folder === '' ? '.' : folder, command))); // an empty part is the current folder
}

function isCommand(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not for this user
  }
}

/** A shell looks for a word without a slash on its path. */
function started(path: string): string {
  return path.startsWith('/') || path.startsWith('../') ? path : `./${path}`;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // removed since
  }
}

/** Changes the commands that a text proposes (`faultline explain 7f3c41`) into what starts them here; null where they are right. */
export function asStarted(commands: readonly string[]): ((text: string) => string) | null {
  const own = ownProgram();
  if (own === NAME) return null;
  // Not a path, the heading of a report (`faultline scan · 2 logs`), or what help begins with.
  const proposed = new RegExp(
    `(?<![\\w/.-]|Usage: )(sudo )?faultline (?=(?:${commands.join('|')})\\b(?!-| [·|]))`,
    'g',
  );
  return (text) =>
    text.replace(proposed, (_, sudo: string | undefined) =>
      sudo === undefined ? `${own} ` : `sudo ${ownProgram(true)} `,
    );
}

/** Folder of the checkout whose `src/main.ts` or `dist/faultline.js` was started; null where something else was. */
function checkoutOf(entry: string): string | null {
  try {
    const whole = realpathSync(entry);
    const root = dirname(dirname(whole));
    const isOwn = whole === join(root, 'src', 'main.ts') || whole === join(root, 'dist', 'faultline.js');
    return isOwn && existsSync(join(root, 'src', 'main.ts')) ? root : null;
  } catch {
    return null;
  }
}
