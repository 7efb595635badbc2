// Taking back: what the daemon itself set on its node, until that is gone again. A condition ends with its fault; a taint or a drain
// only where the configuration asks for it, once the remedy is verified. What others set stays.

import { within } from '../../helpers/calls.ts';
import { errorText } from '../../helpers/error-text.ts';
import type { Incident } from '../../model/incident.ts';
import { OWN_NAME, OWN_SOURCE, type StageAction, type StageReport } from '../../model/stage.ts';
import { spanIdOf } from '../../model/trace.ts';
import type { SinkContext } from '../define-sink.ts';
import type { Audit } from './audit.ts';
import { type BackReason, mayBeTakenBack } from './decide/over.ts';
import type { ActionName } from './schema.ts';
import type { ActingConfig } from './settings.ts';
import { CAN_STAND, type Standing, standingKey } from './standing.ts';
import { backTargetFor } from './targets/index.ts';
import { ActError, type Target } from './targets/target.ts';

const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
const RETURNS: { readonly [A in ActionName]?: StageAction } = { taint: 'untaint', slurm_drain: 'resume' };

export interface TakingBackOptions {
  readonly config: ActingConfig;
  readonly context: SinkContext;
  readonly audit: Audit;
  readonly target?: typeof backTargetFor;
  /** It did not work. */
  readonly onFailed: (text: string) => void;
  /** It is gone, so that it may be set again. */
  readonly onGone: (incidentId: string, action: ActionName) => void;
}

interface Entry extends Standing {
  tries: number;
  nextMs: number;
}

export class TakingBack {
  readonly #options: TakingBackOptions;
  readonly #standing = new Map<string, Entry>();

  constructor(options: TakingBackOptions) {
    this.#options = options;
  }

  /** Set now, or by an earlier run. */
  add(standing: Standing): void {
    if (CAN_STAND.has(standing.action)) this.#standing.set(standingKey(standing), { ...standing, tries: 0, nextMs: 0 });
  }

  /** It is gone already. */
  drop(standing: Standing): void {
    this.#standing.delete(standingKey(standing));
  }

  /** Takes back what may be. `incidents`: the newest revision of each that is known. */
  async look(incidents: ReadonlyMap<string, Incident>): Promise<void> {
    const { config, context } = this.#options;
    if (config.dryRun) return;
    for (const [key, entry] of this.#standing) {
      const nowMs = context.now();
      if (nowMs < entry.nextMs) continue;
      const incident = incidents.get(entry.of.id) ?? null;
      const { verdict } = context.said(entry.of.id);
      const others = [...incidents.values()].filter(({ id }) => id !== entry.of.id);
      const why = mayBeTakenBack(entry.action, { incident, others, verdict, nowMs }, config);
      if (why !== null && (await this.#takeBack(entry, incident, why))) this.#standing.delete(key);
    }
  }

  async #takeBack(entry: Entry, incident: Incident | null, why: BackReason): Promise<boolean> {
    const { config, context } = this.#options;
    const target = (this.#options.target ?? backTargetFor)(entry.action, entry.of, incident?.title ?? entry.of.root.kind, config, context); // biome-ignore format: one line
    const parent = incident === null ? null : { traceId: incident.traceId, spanId: spanIdOf(incident.id, `stage ${stageId(entry.action)}`) }; // biome-ignore format: one line
    const work = () => this.#carriedOut(entry, target, why);
    return await (parent === null ? work() : within(parent, work));
  }

  /** True where there is nothing left to take back. What fails is tried again, after a pause that grows to an hour. */
  async #carriedOut(entry: Entry, target: Target, why: BackReason): Promise<boolean> {
    const { audit, context, onFailed, onGone } = this.#options;
    const beganMs = context.now();
    const write = (step: 'intended' | 'done' | 'failed' | 'refused', type: string, text: string) =>
      audit.write({ incident: entry.of, action: target.action, target: `${target.component.type}/${target.component.id}`, step, words: target.words, type, why: text, atMs: context.now() }); // biome-ignore format: one record
    try {
      await write('intended', why.type, why.why);
      await target.act();
      await write('done', why.type, why.why);
    } catch (error) {
      const message = errorText(error);
      // It was replaced by an operator or another program: that one is theirs.
      if (error instanceof ActError && error.type === 'not_ours') {
        await write('refused', 'not_ours', message).catch(() => {});
        return true;
      }
      entry.tries += 1;
      entry.nextMs = context.now() + Math.min(PAUSE_MS * 2 ** entry.tries, LONGEST_PAUSE_MS);
      onFailed(`${target.words}: ${message}`);
      await write('failed', why.type, message).catch(() => {}); // it may be the record itself
      return false;
    }
    context.logger.warn({ code: 'FL3230', incident: entry.of.id }, `FL3230 taken back: ${target.words}`);
    onGone(entry.of.id, entry.action);
    this.#report(entry, target, { beganMs, endedMs: context.now(), reason: `${why.type}: ${why.why}` });
    return true;
  }

  /** A condition takes no node out of service, so that its end returns none. */
  #report({ action, of }: Entry, target: Target, said: Pick<StageReport, 'beganMs' | 'endedMs' | 'reason'>): void {
    const what = RETURNS[action];
    if (what === undefined) return;
    const { component } = target;
    setImmediate(() =>
      this.#options.context.acted({ incidentId: of.id, id: stageId(action), name: 'returned', action: what, component, by: OWN_NAME, outcome: 'succeeded', error: null, ...said }),
    );
  } // biome-ignore format: one record
}

function stageId(action: ActionName): string {
  return `${OWN_SOURCE} back ${action}`;
}
