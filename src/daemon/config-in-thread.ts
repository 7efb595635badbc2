// Reads a configuration in its own thread, while a daemon runs: a long file holds nothing up, and what reading took ends with it.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckedTree, Environment } from '../config/check-tree.ts';
import type { DropIn } from '../config/drop-ins.ts';
import { configSchema } from './config.ts';

/** In the same folder both as source and in the bundle. */
const THREAD = join(import.meta.dirname, `config-thread${extname(import.meta.filename)}`);

/** Where no thread can be started, or it ends before it answers, the configuration is read here: a daemon starts all the same. */
export async function configInThread(
  text: string,
  environment: Environment,
  dropIns: readonly DropIn[] = [],
): Promise<CheckedTree> {
  try {
    return await inThread(text, environment, dropIns);
  } catch {
    return (await import('../config/check-tree.ts')).checkTree(text, configSchema, environment, dropIns);
  }
}

function inThread(text: string, environment: Environment, dropIns: readonly DropIn[]): Promise<CheckedTree> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { execArgv: [], workerData: { text, environment: { ...environment }, dropIns } });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (status) => reject(new Error(`the thread that reads the configuration ended with ${status}`)));
  });
}
