// Build: makes the parts of the daemon from its configuration and from what the last run left, outputs first.

import { BlackBox } from '../incidents/black-box.ts';
import { IncidentLog } from '../incidents/log/incident-log.ts';
import type { Recovered } from '../incidents/log/recover.ts';
import { SilenceBook } from '../incidents/notes/silence-book.ts';
import { NOTHING_SAID } from '../model/note.ts';
import { recordBackground } from '../sources/recording/background.ts';
import type { Recorder } from '../sources/recording/recorder.ts';
import { startRecorder } from '../sources/recording/start-recorder.ts';
import { JobLedger } from './job-ledger.ts';
import { LoadWatch } from './load-watch.ts';
import { sinceBootUnder } from './memory/run-clock.ts';
import { type EventsBefore, RunMemory } from './memory/run-memory.ts';
import { OperatorNotes } from './operator-notes.ts';
import { Outputs } from './outputs.ts';
import type { Parts } from './parts.ts';
import { Pipeline } from './pipeline.ts';

export interface RecordingOptions {
  /** A recording that cannot be made ends the start; otherwise it is logged and the daemon runs without one. */
  readonly mustRecord?: boolean;
  /** The recording is open already, under this descriptor. */
  readonly recordTo?: number;
}

/** Nothing that is built here reads the host yet: sources are made and started last (start.ts). */
export async function buildParts(parts: Parts, recovered: Recovered, recording: RecordingOptions): Promise<void> {
  const { openIncidents } = recovered;
  for (const incident of openIncidents) parts.recent.incident(incident);
  const log = buildLog(parts, recovered);
  parts.log = log;
  parts.recorder = await buildRecorder(parts, recording);
  const silences = new SilenceBook(recovered.notes, parts.config.silences);
  const outputs = await buildOutputs(parts, log, recovered, silences);
  parts.outputs = outputs;
  parts.blackBox = buildBlackBox(parts, outputs);
  await loadParts(parts);
  const memory = runMemory(parts);
  parts.pipeline = buildPipeline(parts, outputs, recovered, memory, await memory.read());
  parts.memory = memory; // not before: of a start that failed nothing is written over what the last run left
  parts.core.onWake(() => parts.bulkhead.run('detection', () => parts.pipeline?.drain()));
  const { work } = parts.identity;
  const { now, config } = parts;
  parts.ledger = new JobLedger({ host: config.host, earlier: recovered.runs, work: () => work.view(), log, now });
  parts.notes = new OperatorNotes({
    host: parts.config.host,
    now: parts.now,
    log,
    restored: recovered.notes,
    silences,
    names: parts.identity.names,
    onSaid: (incidentId) => parts.recent.again(incidentId),
    onWork: () => outputs.onWork,
  });
}

/** What earlier runs saw of the parts of this host. */
async function loadParts({ identity, logger }: Parts): Promise<void> {
  await identity.parts.load();
  const { trouble } = identity.parts;
  if (trouble !== null) logger.warn({ code: trouble.slice(0, 6) }, trouble);
}

const MEMORY_TROUBLE = {
  unwritten: ['FL1208', 'cannot be written: what it remembers is lost with a restart'],
  damaged: ['FL1209', 'cannot be used: what earlier runs remembered in it is lost'],
} as const;

function runMemory(parts: Parts): RunMemory {
  const { config, logger, now } = parts;
  return new RunMemory({
    directory: config.directories.state,
    host: config.host,
    latenessMs: config.correlation.latenessMs,
    now,
    sinceBoot: sinceBootUnder(config.roots.proc),
    plans: () => parts.pipeline?.remembered() ?? [],
    causes: () => parts.pipeline?.rememberedCauses() ?? [],
    onTrouble: (file, what, detail) => {
      const [code, words] = MEMORY_TROUBLE[what];
      logger.warn({ code }, `${code} ${file} ${words}: ${detail}`);
    },
  });
}

function buildLog({ config, logger, fileNow }: Parts, { openIncidents, notes }: Recovered): IncidentLog {
  return new IncidentLog({
    directory: config.directories.log,
    ...config.incidents,
    restored: openIncidents,
    notes,
    now: fileNow,
    onTrouble: (code, detail) => logger.error({ code }, `${code} ${detail}`),
  });
}

async function buildRecorder(parts: Parts, { mustRecord, recordTo }: RecordingOptions): Promise<Recorder | null> {
  const { config, version, core, logger } = parts;
  return await startRecorder(config, recordTo, version, core.now()).catch((error: Error) => {
    if (mustRecord === true) throw error;
    logger.error({ code: 'FL1303' }, error.message);
    return null;
  });
}

async function buildOutputs(
  parts: Parts,
  log: IncidentLog,
  recovered: Recovered,
  silences: SilenceBook,
): Promise<Outputs> {
  const { config, version, core, logger, recorder } = parts;
  const load = new LoadWatch({
    host: config.host,
    core,
    placement: parts.identity.placement,
    emit: (event) => parts.pipeline?.event(event),
  });
  return await Outputs.start({
    config,
    version,
    core,
    restored: recovered.openIncidents,
    known: recovered.incidents,
    placeOf: recovered.placeOf,
    log,
    silenced: (labels) => silences.of(labels, parts.now()),
    acted: (report) => parts.bulkhead.run('acting', () => parts.pipeline?.acted(report)),
    releaseDevices: (durationMs) => parts.sources?.releaseDevices(durationMs) ?? false,
    said: (incidentId) => parts.notes?.said(incidentId) ?? NOTHING_SAID,
    work: () => parts.identity.work.view(),
    sources: () => parts.sources?.sources ?? null,
    apiTrouble: () => parts.api?.trouble() ?? null,
    apiCounters: () => parts.api?.counters ?? null,
    signal: parts.abort.signal,
    logger,
    onAggregates: (aggregates) => {
      if (recorder !== null) recordBackground(recorder, aggregates, core);
      parts.bulkhead.run('detection', () => load.take(aggregates));
    },
  });
}

function buildBlackBox({ config, core, logger, publisher, now, fileNow }: Parts, { onWork }: Outputs): BlackBox {
  const { maxBytes, maxAgeMs } = config.incidents;
  return new BlackBox(core, {
    directory: config.directories.log,
    maxBytes,
    maxAgeMs,
    onTrouble: (code, detail, incident) => logger.error({ code, ...publisher.about(incident) }, `${code} ${detail}`),
    onWork,
    now,
    fileNow,
  });
}

function buildPipeline(
  parts: Parts,
  outputs: Outputs,
  recovered: Recovered,
  { repeats, pastEvents, settings }: RunMemory,
  before: EventsBefore,
): Pipeline {
  const { config, core, identity, bulkhead, publisher, injection } = parts;
  return new Pipeline({
    host: config.host,
    core,
    identity,
    ...config.correlation,
    links: config.topology.links,
    rules: config.detection,
    onSamples: (batch) => parts.proposals.take(batch),
    restored: recovered.openIncidents.filter(({ made }) => made !== 'injected'),
    ...before,
    repeats,
    pastEvents,
    settings,
    closed: recovered.incidents.filter(({ state }) => state === 'resolved'),
    past: recovered.past,
    gpuHourRate: config.impact.rate,
    recorder: parts.recorder,
    made: config.simulated ? 'simulated' : null,
    onWork: outputs.onWork,
    now: parts.now,
    caught: (error) => bulkhead.caught('detection', error),
    watches: parts.works,
    onEvent: (event) => {
      publisher.event(event);
      parts.ledger?.heard(event);
    },
    onDue: (atMs) => parts.ticker.due(atMs),
    onIncident: (incident) => publisher.incident(incident),
    onDiscovery: (discovery) => {
      outputs.discovery(discovery);
      injection.discovery(discovery);
      parts.proposals.discovered(discovery);
    },
    onNative: (drained) => {
      parts.sources?.handle(drained);
      parts.releases.notices(drained.notices);
      parts.refused.take(drained.notices);
    },
  });
}
