// Secrets that live in files: read whole, never followed into a device, and reported when others can read them too.

import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { codeOrText } from '../helpers/error-code.ts';
import { errorText } from '../helpers/error-text.ts';
import { readStartSync } from '../helpers/read-start.ts';

const LIMIT = 4096;

export type Secret = { readonly value: string; readonly warning: string | null } | { readonly error: string };

/** The file's text without the line end; an error tells what to do and never quotes the content. */
export function readSecret(path: string): Secret {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO must not block
  } catch (error) {
    const code = codeOrText(error);
    if (code === 'ENOENT') return { error: `names ${path}, which does not exist. Create it with mode 0600` };
    if (code === 'EACCES')
      return { error: `names ${path}, which this user may not read. Run: chown <user of faultline> ${path}` };
    return { error: `names ${path}, which cannot be opened (${code})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { error: `names ${path}, which is not a regular file` };
    if (stat.size > LIMIT) return { error: `names ${path}, which is longer than ${LIMIT} bytes` };
    const value = readStartSync(file, LIMIT)
      .toString()
      .replace(/\r?\n$/, '');
    if (value === '' || /[\0\r\n]/.test(value)) return { error: `names ${path}, which must hold one line of text` };
    // Whoever can write it decides where messages go, or what signs them.
    if ((stat.mode & 0o002) !== 0) return { error: `names ${path}, which everybody can write. Run: chmod 600 ${path}` };
    const open = (stat.mode & 0o004) !== 0;
    return { value, warning: open ? `names ${path}, which everybody can read. Run: chmod 600 ${path}` : null };
  } catch (error) {
    return { error: `names ${path}, which cannot be read (${errorText(error)})` };
  } finally {
    closeSync(file);
  }
}
