// Loaded before the daemon with --import: appends the address of every module that a process loads to a file, those of the bundle
// among them, which its own loader reads.

import fs, { appendFileSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';

const file = process.env.LOADED_MODULES;
if (file !== undefined) {
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`);
      return next(url, context);
    },
  });
  const { readFileSync } = fs;
  fs.readFileSync = (path, ...options) => {
    // The text of a large one is mapped, and only its code is read.
    const part = typeof path === 'string' ? /^(.*\/dist\/[^/]+\.cjs)(?:\.code)?$/.exec(path)?.[1] : undefined;
    if (part !== undefined) appendFileSync(file, `${pathToFileURL(part)}\n`);
    return readFileSync(path, ...options);
  };
  syncBuiltinESMExports();
}
