// Reload: a changed configuration in a running daemon. Sources start, stop or change one by one; what is open stays open.

import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Recent } from '../api/recent.ts';
import { errorText } from '../helpers/error-text.ts';
import type { Link } from '../model/topology.ts';
import { SINKS } from '../sinks/registry.ts';
import type { SourceChanges, SourceSet } from '../sources/source-set.ts';
import type { Config, LoadedConfig } from './config.ts';
import type { OperatorNotes } from './operator-notes.ts';
import type { Outputs } from './outputs.ts';
import type { Pipeline } from './pipeline.ts';
import { takePatterns } from './site-patterns.ts';
import type { TcpApi } from './tcp-api.ts';

export interface Reloaded extends SourceChanges {
  /** Sections that changed and are in force: log_level, topology, correlation, impact, rules, detectors, api, sinks. */
  readonly taken: readonly string[];
  /** Keys that changed and count from the next start on. */
  readonly restart: readonly string[];
}

/** These follow from what is loaded, and are in force with it. */
const NOT_SECTIONS = ['sources', 'file'];

/** What a reload needs of the daemon. */
interface Running {
  config: Config;
  readonly sources: SourceSet | null;
  readonly pipeline: Pipeline | null;
  readonly outputs: Pick<Outputs, 'replace' | 'lacksWork'> | null;
  readonly notes: Pick<OperatorNotes, 'configured'> | null;
  readonly recent: Pick<Recent, 'incidents'>;
  readonly tcp: Pick<TcpApi, 'take'> | null;
  /** Null where nothing is recorded: a recording has the times of correlation once, at its start. */
  readonly recorder: object | null;
  readonly logger: Logger;
  readonly abort: AbortController;
}

/** Reads the configuration again as it was read for the start; rejects with ConfigError. */
export type Reread = () => Promise<LoadedConfig>;

/** One at a time, and each asked for is done: the last one sees the last edit. */
export class Reloads {
  readonly #parts: Running;
  readonly #reread: Reread;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Running, reread: Reread) {
    this.#parts = parts;
    this.#reread = reread;
  }

  /** Rejects with everything that is wrong with the file; then nothing has changed. */
  async take(): Promise<Reloaded & { readonly warnings: readonly string[] }> {
    const turn = this.#last.then(() => this.#take());
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** The same where no client waits for the answer: it is in the daemon's log. */
  async takeAndLog(): Promise<void> {
    await this.take().catch((error: unknown) => {
      this.#parts.logger.error({ code: 'FL1211' }, `FL1211 the configuration is as it was: ${errorText(error)}`);
    });
  }

  async #take(): Promise<Reloaded & { readonly warnings: readonly string[] }> {
    const { config, warnings } = await this.#reread();
    const reloaded = await reload(this.#parts, config);
    const { logger } = this.#parts;
    for (const warning of warnings) logger.warn(warning);
    const { restart, ...done } = reloaded;
    logger.info({ ...done, file: config.file }, 'took up the configuration');
    if (restart.length > 0)
      logger.warn(
        { code: 'FL1213', sections: restart },
        `FL1213 these count from the next start on: ${restart.join(', ')}. Run: systemctl restart faultline`,
      );
    return { ...reloaded, warnings };
  }
}

/** Never throws for what a source does: such a source says so in its health. */
async function reload(parts: Running, next: Config): Promise<Reloaded> {
  const { sources, pipeline, outputs, config: before, logger, abort } = parts;
  if (sources === null || pipeline === null || outputs === null)
    throw new Error('the daemon is still starting. Ask again');
  const keys = [...new Set([...Object.keys(before), ...Object.keys(next)])].filter(
    (key) => !NOT_SECTIONS.includes(key),
  );
  const differing = keys.filter((key) => !isDeepStrictEqual(Reflect.get(before, key), Reflect.get(next, key)));
  const taken: string[] = [];
  const restart: string[] = [];
  const sinks = ['shadow', ...SINKS.map(({ name }) => name as string)].filter((name) => differing.includes(name));
  if (sinks.length > 0) {
    const own = Object.fromEntries(sinks.map((name) => [name, Reflect.get(next, name)]));
    // First, since they may be refused: then nothing else has changed.
    await outputs.replace({ ...before, ...own }, parts.recent.incidents());
    taken.push(...sinks);
    if (outputs.lacksWork) restart.push('otlp.traces (spans of what the daemon does itself)');
  }
  await takePatterns({ config: next, logger });
  if (differing.includes('logLevel')) {
    logger.level = next.logLevel;
    taken.push('log_level');
  }
  if (differing.includes('topology')) {
    pipeline.unconfigured(without(before.topology.links, next.topology.links));
    pipeline.configured(without(next.topology.links, before.topology.links));
    taken.push('topology');
  }
  if (differing.includes('correlation') && parts.recorder === null) {
    pipeline.wait(next.correlation);
    taken.push('correlation');
  }
  if (differing.includes('impact')) {
    pipeline.price(next.impact.rate);
    taken.push('impact');
  }
  if (differing.includes('silences')) {
    parts.notes?.configured(next.silences);
    taken.push('silences');
  }
  if (differing.includes('detection')) {
    pipeline.rules(next.detection);
    taken.push('rules', 'detectors');
  }
  if (differing.includes('api')) {
    await parts.tcp?.take(next.api.tcp);
    taken.push('api');
  }
  const kept = differing.filter((key) => !(key === 'logLevel' || key === 'detection' || taken.includes(key)));
  const inForce = Object.fromEntries(kept.map((key) => [key, Reflect.get(before, key)]));
  parts.config = { ...next, ...inForce };
  const changes = await sources.reload(parts.config, pipeline, abort.signal);
  return { ...changes, taken, restart: [...restart, ...kept.flatMap((key) => keysOf(key, before, next))] };
}

/** What users write of a section that changed, each key. */
function keysOf(section: string, before: Config, next: Config): string[] {
  const [old, now]: unknown[] = [Reflect.get(before, section), Reflect.get(next, section)];
  if (!isSection(old) || !isSection(now)) return [section === 'inject' ? 'inject.enabled' : keyInFile(section)];
  const keys = Object.keys({ ...old, ...now }).filter((key) => !isDeepStrictEqual(Reflect.get(old, key), Reflect.get(now, key))); // biome-ignore format: one list
  return keys.map((key) => `${keyInFile(section)}.${keyInFile(key.replace(/Ms$/, ''))}`);
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function without(links: readonly Link[], others: readonly Link[]): Link[] {
  return links.filter((link) => !others.some((other) => isDeepStrictEqual(link, other)));
}

/** As users write it. */
function keyInFile(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
