// A part of a page that one script writes again while others write the rest.

import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces what is between `<!-- NAME -->` and `<!-- /NAME -->`, or adds both at the end. */
export function writePart(page, name, text) {
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const before = readFileSync(page, 'utf8');
  const [start, end] = [before.indexOf(from), before.indexOf(to)];
  const part = `${from}\n${text.trim()}\n${to}`;
  const after =
    start < 0 || end < start
      ? `${before.trimEnd()}\n\n${part}\n`
      : before.slice(0, start) + part + before.slice(end + to.length);
  writeFileSync(page, after);
}
