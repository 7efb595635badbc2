// Loaded before the daemon with --import: appends each use of what reads ICU's tables, with where it came from, to a file.

import { appendFileSync } from 'node:fs';

const file = process.env.USES_OF_ICU;

/** Replaces `owner[name]` by the same that reports its use. */
function watch(owner, name) {
  const original = owner[name];
  owner[name] = new Proxy(original, {
    apply(target, self, words) {
      appendFileSync(file, `${new Error(name).stack}\n`);
      return Reflect.apply(target, self, words);
    },
    construct(target, words) {
      appendFileSync(file, `${new Error(name).stack}\n`);
      return Reflect.construct(target, words);
    },
  });
}

if (file !== undefined) {
  for (const name of ['Collator', 'DateTimeFormat', 'NumberFormat', 'PluralRules', 'Segmenter']) watch(Intl, name);
  for (const name of ['localeCompare', 'normalize', 'toLocaleLowerCase', 'toLocaleUpperCase'])
    watch(String.prototype, name);
  for (const type of [Number, Date, BigInt]) watch(type.prototype, 'toLocaleString');
  for (const name of ['toLocaleDateString', 'toLocaleTimeString']) watch(Date.prototype, name);
}
