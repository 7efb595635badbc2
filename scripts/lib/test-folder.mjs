// Test folder: where tests put their folders, so that what they leave goes with it, whichever way they end. What a run left that was
// itself killed, the next one removes.

import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OWNER = '.tests';

/** A new one, open to all users as /tmp is, until this process ends. Its name is short, since sockets lie in it. */
export function makeTestFolder() {
  removeLeft(tmpdir());
  const folder = mkdtempSync(join(tmpdir(), 'fl-'));
  chmodSync(folder, 0o1777);
  writeFileSync(join(folder, OWNER), owner(process.pid));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** As a process of this machine is known; the same number is another process in another container. */
function owner(pid) {
  return `${pid} ${readlinkSync('/proc/self/ns/pid')}`;
}

function removeLeft(place) {
  for (const name of readdirSync(place)) {
    if (!/^fl-\w{6}$/.test(name)) continue;
    const folder = join(place, name);
    try {
      if (lstatSync(folder).uid !== process.getuid()) continue;
      const text = readFileSync(join(folder, OWNER), 'latin1');
      const pid = Number.parseInt(text, 10);
      if (text === owner(pid) && !isAlive(pid)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another's, or one that another run removes just now.
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
