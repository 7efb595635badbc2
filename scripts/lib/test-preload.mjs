// Loaded before a test file: compiled sources are cached between files, the CPU time of the file and of the children that it
// waited for goes to run-tests.mjs by file descriptor 3, random cases are the same at each run, so that what fails in CI
// fails at every desk (scripts/check-long draws new ones), and what tests leave in the temporary folder goes with them.

import { readFileSync, writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { makeTestFolder } from './test-folder.mjs';

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/faultline-tests', import.meta.url)));

// What runs the tests may be a pod itself: its cluster is none of theirs.
delete process.env.KUBERNETES_SERVICE_HOST;
delete process.env.HOST_IP;

// run-tests.mjs has made one; `node --test`, which loads this as well as the processes of its files, makes it here.
if (isMainThread && process.env.FAULTLINE_TEST_FOLDER === undefined)
  process.env.TMPDIR = process.env.FAULTLINE_TEST_FOLDER = makeTestFolder();

const SEED = 20_261_128;
if (isMainThread && process.env.FAULTLINE_LONG === undefined && mentions(process.argv[1], 'fast-check'))
  (await import('fast-check')).configureGlobal({ seed: SEED });

function mentions(path, word) {
  return path?.endsWith('.test.ts') === true && readFileSync(path, 'utf8').includes(word);
}

const TICKS_PER_S = 100;

// Workers and forked children inherit this file, but not the descriptor.
const ofRunner = isMainThread && new URL(import.meta.url).searchParams.get('runner') === String(process.ppid);
if (ofRunner)
  process.on('exit', () => {
    // Fields 14 to 17 of proc(5): utime, stime, cutime, cstime.
    const ticks = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(11, 15);
    writeSync(3, String(ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_S));
  });
