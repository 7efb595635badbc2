// Makes the sinks that a configuration asks for, each from its definition.

import type { Logger } from 'pino';
import { loggedAfter } from '../incidents/log/after.ts';
import type { Loaded } from '../incidents/log/load.ts';
import type { Incident } from '../model/incident.ts';
import { NOTHING_SAID } from '../model/note.ts';
import type { NativeCore } from '../native.ts';
import type { Source } from '../sources/source.ts';
import type { AnySink, SinkContext } from './define-sink.ts';
import { type BaseOfSinks, SINKS } from './registry.ts';
import type { SelfInputs } from './self/self-inputs.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import type { Sink } from './sink.ts';
import { SinkSet } from './sink-set.ts';
import { WithheldSink } from './withheld-sink.ts';
import { LabelBook } from './work/label-book.ts';

/** Pids are those of our own namespace, whatever `roots.proc` says of the host. */
const OWN_PROC = '/proc';

export interface SinkSurroundings {
  readonly version: string;
  readonly core: NativeCore;
  /** Incidents that an earlier run left open. */
  readonly restored: readonly Incident[];
  /** The newest incidents of earlier runs, open or not, those that changed last at the end. */
  readonly known: readonly Incident[];
  /** Where the incident log holds a revision; null where that is not known. */
  readonly placeOf?: Loaded['placeOf'];
  readonly sources: () => readonly Source[];
  readonly log: SelfInputs['log'];
  readonly servers: SelfInputs['servers'];
  /** Left out: nothing is silenced, and no operator said anything. */
  readonly silenced?: SinkContext['silenced'];
  readonly said?: SinkContext['said'];
  /** Left out: no one hears of it, and nothing holds a device. */
  readonly acted?: SinkContext['acted'];
  readonly releaseDevices?: SinkContext['releaseDevices'];
  /** Left out: nothing works for anyone. */
  readonly labels?: LabelBook;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A sink that is off is not made, and its libraries are not loaded. */
export async function createSinks(
  config: BaseOfSinks,
  surroundings: SinkSurroundings,
  definitions: readonly AnySink[] = SINKS,
): Promise<SinkSet> {
  const { core, version, restored, known, placeOf, logger } = surroundings;
  const { host, directories, simulated, shadow } = config;
  const sinks: Sink[] = [];
  const made: { self?: SelfMetrics } = {};
  const context: SinkContext = {
    host,
    version,
    simulated,
    shadow,
    stateDirectory: directories.state,
    logDirectory: directories.log,
    logger,
    now: () => core.now(),
    restored,
    known,
    silenced: surroundings.silenced ?? (() => null),
    said: surroundings.said ?? (() => NOTHING_SAID),
    acted: surroundings.acted ?? (() => {}),
    releaseDevices: surroundings.releaseDevices ?? (() => false),
    labels: surroundings.labels ?? new LabelBook(),
    loggedAfter: (mark) => loggedAfter(directories.log, mark, mark === null ? null : (placeOf?.(mark) ?? null)),
    async selfMetrics() {
      made.self ??= await selfMetrics(surroundings, () => sinks.flatMap((sink) => sink.counts?.() ?? []));
      return made.self;
    },
  };
  const all = config as unknown as Readonly<Record<string, never>>; // each gets what its own section resolved to
  for (const definition of definitions) {
    const settings = all[definition.name] ?? null;
    if (settings !== null) sinks.push(await makeSink(definition, settings, context));
  }
  if (made.self !== undefined) sinks.unshift(made.self); // first: an event counts before it is exported
  return new SinkSet(sinks, core);
}

async function makeSink(definition: AnySink, settings: never, context: SinkContext): Promise<Sink> {
  const { name, pulled, withheld } = definition;
  if (!context.shadow || pulled === true) return await definition.create(settings, context);
  await withheld?.(context.stateDirectory);
  return new WithheldSink(name);
}

async function selfMetrics(surroundings: SinkSurroundings, sinks: SelfInputs['sinks']): Promise<SelfMetrics> {
  const { SelfMetrics } = await import('./self/self-metrics.ts');
  const { known: _, labels: __, ...inputs } = surroundings;
  const { core } = inputs;
  return new SelfMetrics({
    ...inputs,
    now: () => core.now(),
    procRoot: OWN_PROC,
    core: () => core.stats(),
    sinks,
  });
}
