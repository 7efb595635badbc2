// The thread that answers one question about the incidents of all runs out of the log, and ends: what that takes ends with it.

import { parentPort, workerData } from 'node:worker_threads';
import { readFromLog, searchLog } from '../api/query/log-search.ts';
import type { LogQuestion } from './history.ts';

const { search, asked, id }: LogQuestion = workerData; // as history.ts gives it
parentPort?.postMessage(asked === null ? await readFromLog(search.directory, id) : await searchLog(search, asked));
