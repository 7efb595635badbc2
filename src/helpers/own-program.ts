// Own program: how this program is started again from here; a checkout puts no command on the path.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { shellWord } from './shell-word.ts';

const NAME = 'faultline';

/** `faultline`, or of a checkout the words that start it from the current folder; as root by an absolute path, for sudo has a path of its own. */
export function ownProgram(asRoot = false): string {
  const entry = process.argv[1] ?? '';
  const root = checkoutOf(entry);
  if (root === null || basename(entry) === NAME) return NAME; // a link of this name is the user's own command
  // The node of the path may be older than the one that runs this.
  const own = process.execPath.startsWith(`${root}/`) ? relative(process.cwd(), process.execPath) : 'node';
  return `${shellWord(asRoot ? process.execPath : own)} ${shellWord(relative(process.cwd(), entry))}`;
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
