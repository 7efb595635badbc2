// Reads a configuration on a thread of its own, for a process that goes on for months without another look at it.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Environment } from './check-tree.ts';
import type { Tree } from './yaml-tree.ts';

/** Beside this file both as source and in the bundle. */
const THREAD = join(import.meta.dirname, `tree-thread${extname(import.meta.filename)}`);

/** Rejects where no thread can be had, or it fails. */
export function treeInThread(text: string, environment: Environment): Promise<Tree> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { execArgv: [], workerData: { text, environment: { ...environment } } });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (status) => reject(new Error(`the thread that reads the configuration ended with ${status}`)));
  });
}
