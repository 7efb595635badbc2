// Acting sink: what the daemon does about an incident by itself. One thing at a time, only what a rule allows, recorded first, and
// never where anything speaks against it. What was not done, and why, is a stage of the incident as well.

import { within } from '../../helpers/calls.ts';
import { errorText } from '../../helpers/error-text.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { type Outcome, OWN_NAME, OWN_SOURCE, type StageReport } from '../../model/stage.ts';
import { spanIdOf } from '../../model/trace.ts';
import type { SinkContext } from '../define-sink.ts';
import { labelsOf } from '../message/labels.ts';
import type { Sink, SinkHealth } from '../sink.ts';
import { Audit, type Step } from './audit.ts';
import { clusterRefusal, DAY_MS, dayRefusal, stormRefusal } from './decide/breaker.ts';
import { type Refusal, refusalOf, rulesFor } from './decide/gates.ts';
import { auditFileIn, stopFileIn } from './places.ts';
import type { ActionName } from './schema.ts';
import type { ActingConfig } from './settings.ts';
import { isStopped } from './stop-file.ts';
import { TakingBack } from './taking-back.ts';
import { targetFor } from './targets/index.ts';
import { ActError, type Target } from './targets/target.ts';

/** What waits for its time is looked at so often. */
const LOOK_MS = 5_000;
const MOST_OPEN = 1024;
/** What did not work is tried again so often, each time after a longer pause. */
const MOST_TRIES = 3;
const PAUSE_MS = 60_000;
const WORST_STOP_MS = 800;

interface Page {
  incident: Incident;
  /** Since when its root is the same. */
  sameMs: number;
  readonly tries: Map<ActionName, { count: number; nextMs: number }>;
  /** By action: what was reported last, so that the same is reported once. */
  readonly said: Map<ActionName, string>;
  readonly done: Set<ActionName>;
}

export interface ActingOptions extends ActingConfig {
  readonly target?: typeof targetFor;
}

export async function createActingSink(config: ActingOptions, context: SinkContext): Promise<ActingSink> {
  return new ActingSink(config, context);
}

export class ActingSink implements Sink {
  readonly name = 'acting';
  readonly #config: ActingOptions;
  readonly #context: SinkContext;
  readonly #audit: Audit;
  readonly #back: TakingBack;
  readonly #stopFile: string;
  readonly #pages = new Map<string, Page>();
  /** Null until the record says what an earlier run did: before, nothing is done. */
  #actedMs: number[] | null = null;
  #timer: NodeJS.Timeout | null = null;
  #busy: Promise<void> | null = null;
  #trouble: string | null = null;
  #counts = { done: 0, refused: 0, failed: 0 };

  constructor(config: ActingOptions, context: SinkContext) {
    this.#config = config;
    this.#context = context;
    this.#audit = new Audit(auditFileIn(context.logDirectory));
    this.#stopFile = config.stopFile ?? stopFileIn(context.stateDirectory);
    this.#back = new TakingBack({
      config,
      context,
      audit: this.#audit,
      onFailed: (text) => {
        this.#counts.failed += 1;
        this.#problem('FL3231', text);
      },
      onGone: (incidentId, action) => this.#forget(incidentId, action),
    });
    for (const incident of context.known) this.#take(incident);
  }

  start(signal: AbortSignal): void {
    if (signal.aborted || this.#timer !== null) return;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  event(_event: FaultEvent): void {}

  incident(incident: Incident): void {
    this.#take(incident);
  }

  /** Something is considered or done at this moment. */
  get busy(): boolean {
    return this.#busy !== null;
  }

  health(): SinkHealth {
    const { done, refused, failed } = this.#counts;
    const mode = this.#config.dryRun ? 'dry run' : 'on';
    const counts = `${done} done, ${refused} refused, ${failed} failed`;
    if (isStopped(this.#stopFile)) return { sink: this.name, status: 'failing', detail: `stopped by ${this.#stopFile}: faultline acting allow; ${counts}` }; // biome-ignore format: one line
    if (this.#trouble !== null) return { sink: this.name, status: 'failing', detail: this.#trouble };
    return { sink: this.name, status: 'works', detail: `${mode}, ${this.#config.rules.length} rules; ${counts}` };
  }

  /** What is under way is waited for a moment, and is in the record as intended. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    const late = new Promise<void>((resolve) => setTimeout(resolve, WORST_STOP_MS).unref());
    await Promise.race([this.#busy ?? Promise.resolve(), late]);
  }

  #take(incident: Incident): Page {
    const nowMs = this.#context.now();
    const known = this.#pages.get(incident.id);
    const same = known !== undefined && rootOf(known.incident) === rootOf(incident);
    const page: Page = known ?? { incident, sameMs: nowMs, tries: new Map(), said: new Map(), done: doneBefore(incident) };
    page.incident = incident;
    if (!same) page.sameMs = nowMs;
    this.#pages.delete(incident.id);
    this.#pages.set(incident.id, page);
    if (this.#pages.size > MOST_OPEN) this.#makeRoom();
    return page;
  } // biome-ignore format: one record

  /** Any user's job makes incidents: none of them drives out a fault for which something was done, or is to be. */
  #makeRoom(): void {
    const ids = [...this.#pages];
    const isOpen = ({ incident }: Page): boolean => incident.state === 'open' && incident.mergedInto === null;
    const idle = ids.filter(([, { done }]) => done.size === 0);
    const least =
      idle.find(([, page]) => !isOpen(page)) ??
      idle.find(([, { incident }]) => rulesFor(incident, this.#config.rules).length === 0) ??
      ids.find(([, page]) => !isOpen(page)) ??
      ids[0];
    if (least !== undefined) this.#pages.delete(least[0]);
  }

  #look(): void {
    if (this.#busy !== null) return;
    this.#busy = this.#next()
      .catch((error: unknown) => this.#problem('FL3231', errorText(error)))
      .finally(() => {
        this.#busy = null;
      });
  }

  /** The first that is due, of the incident that is open longest. */
  async #next(): Promise<void> {
    const nowMs = this.#context.now();
    if (this.#actedMs === null && !(await this.#recall(nowMs))) return;
    for (const page of [...this.#pages.values()].sort((a, b) => a.incident.openedMs - b.incident.openedMs)) {
      if (this.#timer === null) return;
      if (page.incident.state === 'open' && nowMs - page.sameMs >= this.#config.settleMs) await this.#each(page);
    }
    if (this.#timer === null || isStopped(this.#stopFile)) return;
    await this.#back.look(new Map([...this.#pages.values()].map(({ incident }) => [incident.id, incident])));
  }

  /** It may be set again where the fault comes back. */
  #forget(incidentId: string, action: ActionName): void {
    const page = this.#pages.get(incidentId);
    page?.done.delete(action);
    page?.tries.delete(action);
    page?.said.delete(action);
  }

  /** What was done within the day before this start counts too. */
  async #recall(nowMs: number): Promise<boolean> {
    try {
      const { actedMs, standing } = await this.#audit.recall(nowMs - DAY_MS);
      for (const each of standing) this.#back.add(each);
      this.#actedMs = [...actedMs];
      this.#trouble = null;
      return true;
    } catch (error) {
      const text = `nothing is done: how much was done today cannot be read: ${errorText(error)}`;
      if (this.#trouble !== `FL3231 ${text}`) this.#problem('FL3231', text);
      return false;
    }
  }

  async #each(page: Page): Promise<void> {
    for (const { action } of rulesFor(page.incident, this.#config.rules)) {
      const { count = 0, nextMs = 0 } = page.tries.get(action) ?? {};
      if (page.done.has(action) || count >= MOST_TRIES || this.#context.now() < nextMs) continue;
      await this.#consider(page, action);
    }
  }

  async #consider(page: Page, action: ActionName): Promise<void> {
    const { incident } = page;
    const refusal = this.#refusal(incident, action);
    if (refusal !== null) return await this.#refused(page, action, refusal);
    const target = (this.#config.target ?? targetFor)(action, incident, this.#config, this.#context);
    // What it asks of others belongs to the stage that it makes.
    const parent = { traceId: incident.traceId, spanId: spanIdOf(incident.id, `stage ${OWN_SOURCE} ${action}`) };
    await within(parent, () => this.#tried(page, action, target));
  }

  async #tried(page: Page, action: ActionName, target: Target): Promise<void> {
    try {
      if (await target.isDone()) {
        page.done.add(action);
        return await this.#refused(page, action, { type: 'already', why: 'it is so already', later: false }, target);
      }
      const open = await this.#open(target);
      // Meanwhile it may have been stopped, or the incident may be another.
      const again = open ?? this.#refusal(page.incident, action);
      if (again !== null) return await this.#refused(page, action, again, target);
      if (this.#config.dryRun) return await this.#dryRun(page, action, target);
      await this.#carryOut(page, action, target);
    } catch (error) {
      await this.#failed(page, action, target, error);
    }
  }

  #refusal(incident: Incident, action: ActionName): Refusal | null {
    const nowMs = this.#context.now();
    if (isStopped(this.#stopFile)) return { type: 'stopped', why: `${this.#stopFile} is there`, later: true };
    const about = refusalOf(incident, action, this.#config);
    if (about !== null) return about;
    const silence = this.#context.silenced(labelsOf(incident, {}));
    if (silence !== null) return { type: 'silenced', why: `silenced by ${silence.by}`, later: true };
    const { verdict } = this.#context.said(incident.id);
    if (verdict?.verdict === 'wrong') return { type: 'called_wrong', why: `${verdict.by} called it wrong`, later: false };
    const { breaker } = this.#config;
    const all = [...this.#pages.values()].map((page) => page.incident);
    return stormRefusal(all, breaker, nowMs) ?? dayRefusal(this.#actedMs ?? [], breaker, nowMs);
  } // biome-ignore format: one line each

  async #open(target: Target): Promise<Refusal | null> {
    const cluster = await target.count();
    return cluster === null ? null : clusterRefusal(cluster, target.node, this.#config.breaker);
  }

  async #dryRun(page: Page, action: ActionName, target: Target): Promise<void> {
    await target.tryOut();
    page.done.add(action);
    await this.#write(page, target, 'dry_run', null);
    this.#report(page, action, target, { outcome: 'skipped', reason: `dry run, would be done: ${target.words}` });
  }

  /** Intended on disk, then done. Where others did the same at that moment and it is too many, each takes its own back. */
  async #carryOut(page: Page, action: ActionName, target: Target): Promise<void> {
    await this.#write(page, target, 'intended', null);
    const beganMs = this.#context.now();
    this.#actedMs = [...(this.#actedMs ?? []), beganMs].filter((ms) => ms > beganMs - DAY_MS);
    page.done.add(action);
    this.#back.add({ action, of: page.incident });
    await target.act();
    const open = target.undo === undefined ? null : await this.#open(target);
    if (open !== null && target.undo !== undefined) {
      await target.undo();
      page.done.delete(action);
      this.#back.drop({ action, of: page.incident });
      await this.#write(page, target, 'undone', open);
      this.#tryLater(page, action);
      return this.#report(page, action, target, { outcome: 'cancelled', reason: `${open.type}: ${open.why}`, beganMs });
    }
    this.#counts.done += 1;
    this.#context.logger.warn({ code: 'FL3230', incident: page.incident.id }, `FL3230 acted: ${target.words}`);
    await this.#write(page, target, 'done', null);
    this.#report(page, action, target, { outcome: 'succeeded', reason: `${OWN_NAME}: ${page.incident.root.kind}`, beganMs });
  } // biome-ignore format: one line each

  async #refused(page: Page, action: ActionName, refusal: Refusal, target: Target | null = null): Promise<void> {
    // What others were asked about is asked again after a pause.
    const { count = 0 } = page.tries.get(action) ?? {};
    if (target !== null) page.tries.set(action, { count, nextMs: this.#context.now() + PAUSE_MS });
    if (page.said.get(action) === refusal.type) return;
    page.said.set(action, refusal.type);
    this.#counts.refused += 1;
    const about = target ?? (this.#config.target ?? targetFor)(action, page.incident, this.#config, this.#context);
    await this.#write(page, about, 'refused', refusal);
    this.#report(page, action, about, { outcome: 'skipped', reason: `${refusal.type}: ${refusal.why}` });
  } // biome-ignore format: one line each

  async #failed(page: Page, action: ActionName, target: Target, error: unknown): Promise<void> {
    const type = error instanceof ActError ? error.type : 'error';
    const message = errorText(error);
    this.#counts.failed += 1;
    page.done.delete(action);
    this.#tryLater(page, action);
    this.#problem('FL3231', `${target.words}: ${message}`);
    this.#report(page, action, target, { outcome: 'failed', reason: null, error: { type, message } });
    await this.#write(page, target, 'failed', { type, why: message }).catch(() => {}); // it may be the record itself
  }

  #tryLater(page: Page, action: ActionName): void {
    const count = (page.tries.get(action)?.count ?? 0) + 1;
    page.tries.set(action, { count, nextMs: this.#context.now() + PAUSE_MS * 2 ** count });
  }

  #write({ incident }: Page, target: Target, step: Step, why: Pick<Refusal, 'type' | 'why'> | null): Promise<void> {
    const { words, action, component } = target;
    const atMs = this.#context.now();
    return this.#audit.write({ incident, action, target: `${component.type}/${component.id}`, step, words, type: why?.type ?? null, why: why?.why ?? null, atMs });
  } // biome-ignore format: one record

  #report(page: Page, action: ActionName, target: Target, said: { readonly outcome: Outcome; readonly reason: string | null; readonly beganMs?: number; readonly error?: StageReport['error'] }): void {
    const nowMs = this.#context.now();
    const { stage, action: what, component } = target;
    const { outcome, reason, beganMs = nowMs, error = null } = said;
    // The event loop first: this may be inside of the call that brought the incident.
    setImmediate(() =>
      this.#context.acted({ incidentId: page.incident.id, id: `${OWN_SOURCE} ${action}`, name: stage, action: what, component, by: OWN_NAME, beganMs, endedMs: nowMs, outcome, reason, error }),
    );
  } // biome-ignore format: one record

  #problem(code: string, text: string): void {
    this.#trouble = `${code} ${text}`;
    this.#context.logger.warn({ code }, this.#trouble);
  }
}

function rootOf({ root }: Incident): string {
  return `${root.kind} ${root.component?.type}/${root.component?.id}`;
}

/** What an earlier run of the daemon did, and did not take back. */
function doneBefore({ stages = [] }: Incident): Set<ActionName> {
  const own = stages.filter(({ source, outcome }) => source === OWN_SOURCE && outcome === 'succeeded');
  const back = new Set(own.filter(({ name }) => name === 'returned').map(({ id }) => id));
  const standing = own.filter(
    ({ id, name }) => name !== 'returned' && !back.has(id.replace(OWN_SOURCE, `${OWN_SOURCE} back`)),
  );
  return new Set(standing.map(({ id }) => id.slice(OWN_SOURCE.length + 1) as ActionName)); // as they were reported above
}
