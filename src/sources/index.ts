// Makes the sources that a configuration asks for, and gives each what it takes of what native code hands over.

import { readFile } from 'node:fs/promises';
import { errorText } from '../helpers/error-text.ts';
import { serviceControlGroup } from '../identity/control-group.ts';
import { Identity } from '../identity/identity.ts';
import { WallTimes } from '../model/wall-times.ts';
import type { NativeCore } from '../native.ts';
import type { Bulkhead } from './bulkhead.ts';
import type { SourceContext, SourceLogger } from './context.ts';
import type { AnySource } from './define-source.ts';
import { SmallFiles, type StuckBudget } from './files/small-files.ts';
import { watchInto } from './files/watched-source.ts';
import { SOURCES } from './registry.ts';
import { type Outside, Services } from './services.ts';
import type { Source, SourceHealth } from './source.ts';
import { guardOf, SourceSet, type SourcesConfig } from './source-set.ts';

export interface SourceSurroundings extends Outside {
  /** False for a look of a moment, which leaves nothing on disk and takes no inventory. */
  readonly lasting?: boolean;
  /** What is known of this host; sources teach it and ask it. Left out: one of their own. */
  readonly identity?: Identity;
  /** Left out: what is thrown goes to the caller, as tests and a look of a moment want it. */
  readonly bulkhead?: Bulkhead;
  readonly logger?: SourceLogger;
  /** Which of those that are configured are made; left out: all. */
  readonly only?: (definition: AnySource) => boolean;
}

const QUIET: SourceLogger = { info() {}, warn() {} };

/** A source that is off, or has nothing configured, is not made: it opens no file, socket or timer. */
export async function createSources(
  config: SourcesConfig,
  core: NativeCore,
  { lasting = true, bulkhead, logger = QUIET, only = () => true, ...given }: SourceSurroundings = {},
  definitions: readonly AnySource[] = SOURCES,
): Promise<SourceSet> {
  const { host, roots, directories, record } = config;
  const now = () => core.now();
  const budget: StuckBudget = { stuck: 0 };
  const wall = new WallTimes();
  const services = new Services(guardOf(bulkhead), given);
  const { identity = new Identity(host, { now }) } = given;
  const context: SourceContext = {
    host,
    roots,
    directories,
    core,
    now,
    steady: (wallMs) => wall.steady(wallMs, now()).timeMs,
    files: () => new SmallFiles(budget),
    identity,
    logger,
    services,
    // A replay finds events by the samples that were recorded: then they must all pass through here.
    watch: record.path === null && lasting ? watchInto(core) : null,
    lasting,
  };
  await knowOwnProcesses(context);
  const make = (definition: AnySource, settings: unknown) =>
    definition.create(settings, context).catch((error: unknown): Source => {
      if (bulkhead === undefined) throw error;
      bulkhead.caught(definition.name, error);
      return notMade(definition.name, error);
    });
  const asked = ({ sources }: SourcesConfig) =>
    definitions.filter((one) => only(one) && one.idle(sources[one.name]) === null);
  return SourceSet.of(config, { services, wall, bulkhead, asked, make });
}

/** Whether silence itself may be an event, so that time has to pass even when nothing new comes. */
export function silenceMatters({ sources }: Pick<SourcesConfig, 'sources'>): boolean {
  return SOURCES.some((definition: AnySource) => definition.silenceMatters?.(sources[definition.name]) === true);
}

/** Names of the sources that must work, for `doctor`. */
export function requiredSources({ sources }: Pick<SourcesConfig, 'sources'>): string[] {
  const required = SOURCES.filter(
    (definition: AnySource) => definition.isRequired?.(sources[definition.name]) === true,
  );
  return required.map(({ name }) => name);
}

/** What `doctor` says of the sources that a configuration does not ask for. */
export function idleSources({ sources }: Pick<SourcesConfig, 'sources'>): SourceHealth[] {
  return SOURCES.flatMap((definition: AnySource) => {
    const idle = definition.idle(sources[definition.name]);
    return idle === null ? [] : [{ source: definition.name, ...idle }];
  });
}

/** In the place of a source that could not be made, so that its health says so and the others run. */
function notMade(name: string, error: unknown): Source {
  const detail = `FL2610 it could not be started: ${errorText(error)}`;
  const remedy = "report the line with FL2610 in the daemon's log";
  return { name, start() {}, health: () => [{ source: name, status: 'failed', detail, remedy }], async stop() {} };
}

async function knowOwnProcesses({ identity: { own }, files }: SourceContext): Promise<void> {
  own.runsIn(serviceControlGroup(await readFile('/proc/self/cgroup', 'latin1').catch(() => '')));
  const threads = files();
  own.listThreadsBy(async (pid) => ((await threads.list(`/proc/${pid}/task`)) ?? []).map(Number));
}
