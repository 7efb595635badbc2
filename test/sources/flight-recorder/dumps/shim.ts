// The real reader under a library that is laid over its `read`: where a mark comes by in a file, it crashes, loops or stops.

import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativePath } from '../../../../src/native.ts';
import { makeCase } from '../../../native-fr/generator/cases.ts';

const MARK = 'end-the-reader-here';

/**
 * Where the mark comes by: the process that parses writes to where nothing is (WHERE=parses; parses-first: the
 * first such process alone) or works for ever once it has the file (WHERE=loops),
 * or the one that feeds it stops until it is continued (WHERE=feeds).
 */
const SHIM = `
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int parses, where_parses, loops, first, forks;
static __thread int armed;
extern void* __libc_malloc(size_t);
static void forks_now(void) { ++forks; }
static void forked(void) { parses = !first || forks == 1; }
__attribute__((constructor)) static void begin(void) {
  const char* where = getenv("WHERE");
  loops = where != 0 && strcmp(where, "loops") == 0;
  first = where != 0 && strcmp(where, "parses-first") == 0;
  where_parses = loops || first || (where != 0 && strcmp(where, "parses") == 0);
  pthread_atfork(forks_now, 0, forked);
}
ssize_t read(int fd, void* to, size_t count) {
  const ssize_t got = syscall(SYS_read, fd, to, count);
  if (got > 0 && parses == where_parses && memmem(to, got, "${MARK}", ${MARK.length})) {
    if (loops) armed = 1;
    else if (parses) *(volatile int*)8 = 1;
    else if (getenv("WHERE") != 0) raise(SIGSTOP);
  }
  return got;
}
void* malloc(size_t size) {
  while (*(volatile int*)&armed) {}
  return __libc_malloc(size);
}
`;

/** The library; null where there is no C compiler. */
export function builtShim(root: string): string | null {
  const [source, library] = [join(root, 'shim.c'), join(root, 'shim.so')];
  writeFileSync(source, SHIM);
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', source, '-o', library], { stdio: 'ignore' });
  return status === 0 ? library : null;
}

/** A program that is the real reader under the shim; `once`: the first time alone. */
export function shimmedReader(
  library: string,
  where: 'parses' | 'parses-first' | 'feeds' | 'loops',
  once = false,
): string {
  const folder = mkdtempSync(`${library}-`);
  const program = join(folder, 'reader');
  const when = once ? `[ -e '${folder}/begun' ] || { : >'${folder}/begun'; export WHERE=${where}; }` : `export WHERE=${where}`; // biome-ignore format: one line
  writeFileSync(program, `#!/bin/sh\n${when}\nLD_PRELOAD='${library}' exec '${nativePath('faultline-fr')}' "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

/** A job, with the mark behind the end of the dump of `marked`, a rank that others do not wait for. */
export function markedJob(root: string, size: number): { folder: string; culprits: readonly number[]; marked: number } {
  const { files, culprits } = makeCase('cascade', 1, size);
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  const marked = culprits.includes(size - 3) ? size - 5 : size - 3;
  appendFileSync(join(folder, `nccl_trace_rank_${marked}`), `${MARK}.`);
  return { folder, culprits, marked };
}
