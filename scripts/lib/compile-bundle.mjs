// Compiles the bundle in a folder: each file gets the code that V8 makes of it, in a file next to it (run-bundle.cjs).
// Run: node scripts/lib/compile-bundle.mjs [DIST]   (default dist)

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * What gives the same bytes of the same bundle, whatever the folder and the load: a seed, and so much memory that nothing is collected,
 * which V8 would note in what it writes.
 */
const SAME_BYTES = ['--random-seed=1', '--min-semi-space-size=128', '--max-semi-space-size=128'];

const CONFIG = join(import.meta.dirname, 'run-bundle.yaml');
const words = [...SAME_BYTES, join(import.meta.dirname, 'run-bundle.cjs'), process.argv[2] ?? 'dist', CONFIG];
// Always a pipe: to a file or a terminal Node writes by other code, and other functions of the bundle would have run.
const { status, stderr } = spawnSync(process.execPath, words, {
  stdio: ['ignore', 'ignore', 'pipe'],
  encoding: 'utf8',
});
if (status !== 0) throw new Error(`the bundle does not load: run-bundle.cjs ended with ${status}: ${stderr}`);
