// Writes incidents to the log and hands them to the webhook until it is killed; says which are on disk. A child of the test.

import { join } from 'node:path';
import { loggedAfter } from '../../../../src/incidents/log/after.ts';
import { IncidentLog } from '../../../../src/incidents/log/incident-log.ts';
import { recover } from '../../../../src/incidents/log/recover.ts';
import { NOTHING_SAID } from '../../../../src/model/note.ts';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';
import { LabelBook } from '../../../../src/sinks/work/label-book.ts';
import { smallIncident, T0 } from '../../../incidents/sample.ts';
import { createWebhookSink } from './webhook-sink.ts';

const [directory = '', url = '', first = '0'] = process.argv.slice(2);
const logFolder = join(directory, 'log');
const { incidents: known, openIncidents: restored, placeOf } = await recover(logFolder);
const log = new IncidentLog({
  directory: logFolder,
  maxBytes: 1 << 24,
  maxFiles: 10,
  maxAgeMs: 86_400_000,
  restored,
  onTrouble: (code, detail) => process.stderr.write(`${code} ${detail}\n`),
});
const sink = await createWebhookSink(
  url,
  {
    host: 'node-3',
    version: '1.2.3',
    simulated: false,
    shadow: false,
    stateDirectory: directory,
    logDirectory: directory,
    acted: () => {},
    releaseDevices: () => false,
    logger: { info: () => {}, warn: () => {} },
    now: () => T0,
    restored,
    known,
    loggedAfter: (mark) => loggedAfter(logFolder, mark, mark === null ? null : placeOf(mark)),
    silenced: () => null,
    said: () => NOTHING_SAID,
    labels: new LabelBook(),
    selfMetrics: () => Promise.reject(new Error('not wanted here')),
  },
  { backoff: () => new Backoff(() => 0, 20, 50) },
);
sink.start(new AbortController().signal);
process.stdout.write('ready\n');
for (let number = Number(first); ; number += 1) {
  for (const revision of [1, 2]) {
    const written = await log.append(smallIncident(number, revision, revision === 1 ? 'open' : 'resolved'));
    process.stdout.write(`${written.id} ${written.revision}\n`);
    sink.incident(written);
  }
}
