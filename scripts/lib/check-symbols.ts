// What a native file needs of the host it is loaded on: no younger C library than the oldest supported one, and nothing else
// than the C library. The lists are readelf's.

import { execFileSync } from 'node:child_process';

/** That of RHEL 8; Node 24's own program needs it too. */
export const OLDEST_GLIBC = [2, 28] as const;
const LIBRARIES = /^(libc|libm|libdl|libpthread|ld-linux-[\w-]+)\.so\.\d+$/;
/** From glibc 2.34 on these are in libc; before, a file that calls them must name their library itself. */
const MOVED = {
  'libpthread.so.0': /^pthread_(create|join|detach|once|key_create)$/,
  'libdl.so.2': /^dl(open|sym|error|addr)$/,
};

/** Lines of `readelf -dW` and `readelf -W --dyn-syms` → what is wrong with the file, in words. */
export function complaints(dynamic: string, symbols: string): string[] {
  const needed = [...dynamic.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = '']) => name);
  const wrong = needed.filter((name) => !LIBRARIES.test(name)).map((name) => `needs the library ${name}`);
  for (const [, name = '', version = ''] of symbols.matchAll(/ UND (\S+)@{1,2}(\S+)/g)) {
    if (!old(version)) wrong.push(`needs ${name} of ${version}`);
    for (const [library, moved] of Object.entries(MOVED))
      if (moved.test(name) && !needed.includes(library)) wrong.push(`calls ${name} without naming ${library}`);
  }
  if (/\bDT_RELR\b|\(RELR\)/.test(dynamic)) wrong.push('has packed relocations, which glibc reads from 2.36 on');
  return [...new Set(wrong)];
}

function old(version: string): boolean {
  const numbers = /^GLIBC_(\d+)\.(\d+)(\.\d+)?$/.exec(version);
  if (numbers === null) return false;
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  return major < OLDEST_GLIBC[0] || (major === OLDEST_GLIBC[0] && minor <= OLDEST_GLIBC[1]);
}

const read = (...words: string[]) => execFileSync('readelf', words, { encoding: 'utf8', maxBuffer: 64 << 20 });

export const check = (path: string) => complaints(read('-dW', path), read('-W', '--dyn-syms', path));
