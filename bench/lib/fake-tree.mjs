// Files and links of a tree that stands for /sys.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `files`: text without the newline at its end, by path below `folder`. */
export function put(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
}

export function link(path, target) {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
