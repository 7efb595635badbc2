// Start: opens the socket, then the sources, and reports to the service manager and the log.

import { startApi } from '../api/api-server.ts';
import { AliveMark } from '../incidents/log/alive.ts';
import type { Recovered } from '../incidents/log/recover.ts';
import { native } from '../native.ts';
import { byStatus } from '../sources/by-status.ts';
import { createSources } from '../sources/index.ts';
import { apiBackend } from './api-backend.ts';
import type { Parts } from './parts.ts';
import { rehearse } from './rehearsal.ts';
import { takePatterns } from './site-patterns.ts';
import { TcpApi } from './tcp-api.ts';

/** How long an incident of an earlier run waits for a new sign of life. */
const STALE_MS = 600_000;
/** When start-up is over: code that only it runs, and memory that only it took, are given back. */
const GIVE_BACK_MS = 20_000;
/**
 * Of the program and its text what ran once, and of malloc's heap what one large compilation or answer took: both would stay for good. What
 * is used again comes back 16 pages at a time, in a millisecond for all of it.
 */
const GIVE_BACK_EACH_MS = 60_000;
/** The daemon's log reports which sources work once each has looked, or after so long. */
const SOURCES_REPORT_MS = 10_000;
const SOURCES_ASKED_MS = 250;

/** To be called once, after everything was built. */
export async function startParts(parts: Parts, { openIncidents }: Pick<Recovered, 'openIncidents'>): Promise<void> {
  const { config, core, identity, logger, bulkhead, pipeline, outputs, notes, log, abort, timers } = parts;
  if (pipeline === null || outputs === null || notes === null || log === null) throw new Error('nothing is built yet');
  await takePatterns(parts);
  // Before any other source: what they find at once may be under a maintenance that lasts.
  notes.start(bulkhead.emit('operator notes', pipeline), abort.signal);
  // Loaded before anything answers: a client that sees the daemon may count on what happens from then on being seen.
  const { onSummary } = outputs;
  const linesOf = (job: string) => pipeline.linesOf(job);
  const { expectLines, textWatch } = pipeline;
  const outside = { onSummary, linesOf, expectLines, textWatch };
  const set = await createSources(config, core, { identity, ...outside, bulkhead, logger });
  const backend = apiBackend(parts, outputs, notes);
  parts.api = await startApi(backend, config.directories.runtime, {
    onTrouble: (code, detail) => logger.warn({ code }, `${code} ${detail}`),
    writeGroup: () => parts.config.api.writeGroup,
  });
  parts.tcp = new TcpApi(backend, logger);
  await parts.tcp.take(config.api.tcp);
  parts.alive = new AliveMark(config.directories.log);
  parts.alive.start();
  log.reopen(); // a log that cannot be written is reported at the start, not with the first incident
  parts.sources = set;
  const { sources } = set;
  for (const source of sources) source.start(pipeline, abort.signal);
  parts.ledger?.start();
  parts.injection.endRestored(openIncidents);
  parts.ticker.news();
  const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms).unref());
  if (openIncidents.length > 0) after(STALE_MS, () => pipeline.resolveStale(core.now()));
  after(SOURCES_ASKED_MS, () => reportSources(parts, core.now() + SOURCES_REPORT_MS));
  after(GIVE_BACK_MS, () => native().giveBackMemory());
  timers.push(setInterval(() => native().giveBackMemory(), GIVE_BACK_EACH_MS).unref());
  if (config.shadow) logger.warn('shadow mode (shadow: true): incidents are kept here, and nothing is sent');
  logger.info({ version: parts.version, sources: sources.map(({ name }) => name) }, 'started');
  parts.service.ready(`watching ${config.host}`);
  const { host, correlation } = config;
  void rehearse({ host, ...correlation, now: parts.now, signal: abort.signal }).catch((error: unknown) =>
    bulkhead.caught('rehearsal', error),
  );
}

/** One line for whoever reads the daemon's log first: what is watched, and what is not and why. */
function reportSources(parts: Parts, latestMs: number): void {
  const { logger, health, core, timers } = parts;
  const found = health();
  if (core.now() < latestMs && found.some(({ detail }) => detail.startsWith('starting'))) {
    timers.push(setTimeout(() => reportSources(parts, latestMs), SOURCES_ASKED_MS).unref());
    return;
  }
  const { fields, needsFix } = byStatus(found);
  logger[needsFix ? 'warn' : 'info'](fields, 'sources; faultline doctor prints the lines that fix them');
}
