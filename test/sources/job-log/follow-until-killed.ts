// A run that is ended by SIGKILL: follows the log PATH with its places in ROOT, and appends what the lines report to OUT, an event a line.
// Run by pieces.test.ts: node follow-until-killed.ts ROOT PATH OUT

import { appendFileSync } from 'node:fs';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { JobLogSource } from '../../../src/sources/job-log/job-log-source.ts';
import { LogPlaces } from '../../../src/sources/job-log/places.ts';

const [root = '', path = '', out = ''] = process.argv.slice(2);
const detection = new TextDetection('node-3');
const config = { job: 'llama', path, framework: 'auto', ranks: [], worldSize: null };
const source = new JobLogSource([config], { host: 'node-3', now: Date.now, pollMs: 20, places: new LogPlaces(root) });
const text = (record: Parameters<TextDetection['decode']>[0]): void => {
  for (const event of detection.decode(record).events) {
    const { id, kind, attributes } = makeEvent('node-3', event);
    appendFileSync(out, `${JSON.stringify({ id, kind, rank: attributes.rank ?? null })}\n`);
  }
};
const failed = (error: unknown): void => {
  process.stderr.write(`${String(error)}\n`);
};
source.start({ samples() {}, text, event() {}, discovery() {}, failed }, new AbortController().signal);
