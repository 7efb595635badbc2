// Writes incidents to the log and hands them to each sink that sends incidents until it is killed; says what is on disk. A child of
// the test.

import { join } from 'node:path';
import { loggedAfter } from '../../src/incidents/log/after.ts';
import { IncidentLog } from '../../src/incidents/log/incident-log.ts';
import { recover } from '../../src/incidents/log/recover.ts';
import type { Incident } from '../../src/model/incident.ts';
import { createAlertmanagerSink } from '../../src/sinks/alertmanager/alertmanager-sink.ts';
import { Backoff } from '../../src/sinks/delivery/send/backoff.ts';
import { createNotifySink } from '../../src/sinks/notify/notify-sink.ts';
import { createNvsentinelSink } from '../../src/sinks/nvsentinel/nvsentinel-sink.ts';
import { gpu, T0 } from '../incidents/sample.ts';
import { config as alertConfig } from './alertmanager/harness.ts';
import { sinkContext } from './context.ts';
import { channel, config, incident, later, over } from './notify/harness.ts';
import { config as sentinelConfig } from './nvsentinel/harness.ts';

const [directory = '', hook = '', alerts = '', socket = '', first = '0', count = '0'] = process.argv.slice(2);
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
/** Behind the time of every incident, so that an alert that ended has ended. */
const NOW = T0 + 1e9;
const context = sinkContext(directory, {
  restored,
  known,
  loggedAfter: (mark) => loggedAfter(logFolder, mark, mark === null ? null : placeOf(mark)),
  now: () => NOW,
});
const tuning = { backoff: () => new Backoff(() => 0, 20, 50) };
const caps = { maxBytes: 1 << 26, maxAgeMs: 1e12 };
const sinks = [
  await createNotifySink(config([channel('hook', 'webhook', hook)], { limitADay: 100_000, caps }), context, tuning),
  await createAlertmanagerSink(alertConfig([alerts], { caps }), context, tuning),
  await createNvsentinelSink(sentinelConfig(socket, { caps }), context, tuning),
];
for (const sink of sinks) sink.start(new AbortController().signal);
process.stdout.write('ready\n');

async function say(revision: Incident): Promise<Incident> {
  const written = await log.append(revision);
  // A disk that takes nothing for a second promises nothing: what a kill takes then is gone with it.
  if (written.log === 'written') process.stdout.write(`${written.id} ${written.state}\n`);
  for (const sink of sinks) sink.incident(written);
  return written;
}

/** A device of its own, so that what became of it can be told apart. */
function numbered(number: number): Incident {
  const base = incident(number);
  const component = { ...gpu(number), aliases: [] };
  return { ...base, root: { ...base.root, component } };
}

/** One in three stays open, one is resolved, one is opened again. */
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  const open = await say(numbered(number));
  if (number % 3 === 0) continue;
  const worse = await say(later(open, { severity: 'critical' }));
  const end = await say(over(worse));
  if (number % 3 === 2) await say(later(end, { state: 'open', resolvedMs: null, reopened: 1 }));
}
process.stdout.write('done\n');
setInterval(() => {}, 1000);
