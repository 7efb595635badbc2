// The thread that answers one question about the incidents of all runs out of the log, and ends: what that takes ends with it.

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { readFromLog, searchLog } from '../api/query/log-search.ts';
import type { LogQuestion } from './history.ts';

// Of this thread alone, as Linux has it: who asks all the time takes no core from the job.
setPriority(constants.priority.PRIORITY_LOW);
const { search, asked, id }: LogQuestion = workerData; // as history.ts gives it
const answer: Promise<unknown> = asked === null ? readFromLog(search.directory, id) : searchLog(search, asked);
void answer.then((found) => parentPort?.postMessage(found));
