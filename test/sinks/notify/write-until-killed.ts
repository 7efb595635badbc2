// Writes incidents to the log and hands them to the notify sink until it is killed; says what is on disk. A child of the test.

import { join } from 'node:path';
import { loggedAfter } from '../../../src/incidents/log/after.ts';
import { IncidentLog } from '../../../src/incidents/log/incident-log.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { createNotifySink } from '../../../src/sinks/notify/notify-sink.ts';
import { sinkContext } from '../context.ts';
import { channel, config, incident, later, over } from './harness.ts';

const [directory = '', url = '', first = '0', count = '0'] = process.argv.slice(2);
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
const context = sinkContext(directory, {
  restored,
  known,
  loggedAfter: (mark) => loggedAfter(logFolder, mark, mark === null ? null : placeOf(mark)),
});
const settings = config([channel('hook', 'webhook', url)], { limitADay: 100_000 });
const sink = await createNotifySink(settings, context, { backoff: () => new Backoff(() => 0, 20, 50) });
sink.start(new AbortController().signal);
process.stdout.write('ready\n');

async function say(revision: Incident): Promise<Incident> {
  const written = await log.append(revision);
  process.stdout.write(`${written.id} ${written.state}\n`);
  sink.incident(written);
  return written;
}

/** One in three stays open, one is resolved, one is opened again. */
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  const open = await say(incident(number));
  if (number % 3 === 0) continue;
  const worse = await say(later(open, { severity: 'critical' }));
  const end = await say(over(worse));
  if (number % 3 === 2) await say(later(end, { state: 'open', resolvedMs: null, reopened: 1 }));
}
process.stdout.write('done\n');
setInterval(() => {}, 1000);
