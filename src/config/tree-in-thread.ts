// Reads a configuration on a thread of its own, for a process that goes on for months without another look at it.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckedTree, Environment } from './check-tree.ts';

/** Beside this file both as source and in the bundle. */
const THREAD = join(import.meta.dirname, `tree-thread${extname(import.meta.filename)}`);

/** Where no thread can be had, or it ends before it answers, the configuration is read here: a daemon starts all the same. */
export async function treeInThread(text: string, environment: Environment): Promise<CheckedTree> {
  try {
    return await inThread(text, environment);
  } catch {
    return (await import('./check-tree.ts')).checkTree(text, environment);
  }
}

function inThread(text: string, environment: Environment): Promise<CheckedTree> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { execArgv: [], workerData: { text, environment: { ...environment } } });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (status) => reject(new Error(`the thread that reads the configuration ended with ${status}`)));
  });
}
