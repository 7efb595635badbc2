// Own program: how this program is started again from here; a checkout puts no command on the path.

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { shellWord } from './shell-word.ts';

/** `faultline`, or of a checkout the words that start it from the current folder; as root by an absolute path, for sudo has a path of its own. */
export function ownProgram(asRoot = false): string {
  const entry = process.argv[1] ?? '';
  const root = checkoutOf(entry);
  if (root === null) return 'faultline';
  // The node of the path may be older than the one that runs this.
  const own = process.execPath.startsWith(`${root}/`) ? relative(process.cwd(), process.execPath) : 'node';
  return `${shellWord(asRoot ? process.execPath : own)} ${shellWord(relative(process.cwd(), entry))}`;
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
