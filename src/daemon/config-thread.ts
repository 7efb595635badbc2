// The thread that reads one configuration and ends: what parser and validator take (5 MiB) ends with it.

import { parentPort, workerData } from 'node:worker_threads';
import { checkTree } from '../config/check-tree.ts';
import { configSchema } from './config.ts';

const { text, environment, dropIns } = workerData; // as config-in-thread.ts gives it
parentPort?.postMessage(checkTree(text, configSchema, environment, dropIns));
