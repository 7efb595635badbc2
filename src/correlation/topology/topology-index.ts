// Topology index: from where to where trouble can travel, by configured links and by what identities imply.

import { remember } from '../../helpers/remember.ts';
import { Aliases, type Place } from '../../identity/aliases.ts';
import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Link } from '../../model/topology.ts';
import { failedNodeLink } from './failed-node.ts';
import { forgettableWork, isFoundWork } from './found-work.ts';
import { HeardNames } from './heard-names.ts';
import { hostOf, infrastructureUnit, isInfrastructure, jobOf, jobOfRank, keyOf, type Located } from './place.ts';
import { servedLink } from './served-host.ts';
import { type Reach, Travel } from './travel.ts';
import { Ways } from './ways.ts';
import { gpusIn, gpusOfJob, gpusOfService } from './work-places.ts';

const MAX_COMPONENTS = 4096;
const MAX_LINKS = 16_384;
/** So many that nothing names any more are forgotten at once: that starts all paths over. */
const SWEPT = 256;
/** Anyone who may write into a job's log can name hosts without end. */
const MOST_NAMED_HOSTS = 256;
/** From here on a path counts as configured; see implied-edges.ts for what is assumed. */
export const CONFIGURED = 0.9;
const CERTAIN = 0.999;

export class TopologyIndex {
  readonly host: string;
  readonly #aliases: Aliases;
  readonly #heard: HeardNames;
  readonly #links = new Map<string, Link>();
  /** Links that both the configuration and the host have. */
  readonly #confirmed = new Set<string>();
  readonly #components = new Map<string, Component>();
  readonly #fed = new Map<string, readonly string[]>();
  readonly #linked = new Set<string>();
  /** In how many conditions a component is named. */
  readonly #uses = new Map<string, number>();
  /** Known by an event alone, and in no condition any more. */
  readonly #idle = new Set<string>();
  /** Names of the jobs that are known. */
  readonly #jobs = new Set<string>();
  readonly #gpusOf = new Map<string, readonly Component[]>();
  readonly #gpusOfJob = new Map<string, number | null>();
  readonly #ways = new Ways((from, to) => this.reach(from, to)?.path ?? []);
  #travel: Travel | null = null;
  #namedHosts = 0;

  /** `names`: what is known of components that have several. */
  constructor(host: string, names = new Aliases()) {
    this.host = host;
    this.#aliases = names;
    this.#heard = new HeardNames(names);
  }

  /** Takes a link; true when it changes what is known. */
  link(link: Link): boolean {
    const named = [this.#aliases.learn(link.from), this.#aliases.learn(link.to)].includes(true);
    if (named) this.#rename();
    const from = this.resolve(link.from);
    const to = this.resolve(link.to);
    const key = keyOf(from, link, to);
    const known = this.#links.get(key);
    if (known !== undefined && known.source !== link.source) this.#confirmed.add(key);
    const fresh = known === undefined && (this.#links.size < MAX_LINKS || this.#forgetWork());
    if (fresh) this.#links.set(key, { ...link, from, to });
    else if (known !== undefined && isFoundWork(known)) remember(this.#links, key, known, MAX_LINKS); // young again
    const added = [this.#add(from), this.#add(to)].includes(true);
    for (const text of [componentText(from), componentText(to)]) {
      this.#linked.add(text);
      this.#idle.delete(text);
    }
    if (fresh || added) this.#startOver();
    return fresh || named;
  }

  /** A link of the configuration is there no more; one that the host shows as well stays. True when it changes what is known. */
  unlink(link: Link): boolean {
    const [from, to] = [this.resolve(link.from), this.resolve(link.to)];
    const key = keyOf(from, link, to);
    const known = this.#links.get(key);
    if (known === undefined) return false;
    if (this.#confirmed.delete(key)) {
      this.#links.set(key, { ...known, source: 'host' });
      return false;
    }
    if (known.source !== 'configuration') return false;
    this.#links.delete(key);
    const named = new Set(
      [...this.#links.values()].flatMap((each) => [componentText(each.from), componentText(each.to)]),
    );
    for (const text of [componentText(from), componentText(to)]) {
      if (named.has(text)) continue;
      this.#linked.delete(text);
      if (!this.#uses.has(text)) this.#idle.add(text);
    }
    this.#startOver();
    return true;
  }

  /**
   * What an event says of places. A line of the kernel's names a card by its address and its interface: what was reported of
   * the interface is the card's, unless that is another card's name. A scheduler's names a host on which a job ran, a client's the server that it waits for. True where
   * something that is known changes by it.
   */
  hears(event: FaultEvent): boolean {
    return this.#hearsName(event) || this.#hearsHost(event);
  }

  #hearsHost(event: FaultEvent): boolean {
    const link = failedNodeLink(event, this.host) ?? servedLink(event);
    if (link === null || this.#namedHosts >= MOST_NAMED_HOSTS || !this.link(link)) return false;
    this.#namedHosts += 1;
    return true;
  }

  #hearsName(event: FaultEvent): boolean {
    const taught = this.#heard.take(event);
    if (taught === 'nothing') return false;
    return this.#rename() || taught === 'shown';
  }

  /** The component under its canonical name. */
  resolve(component: Component): Component {
    return this.#aliases.resolve(component).component;
  }

  placeOf(component: Component): Place {
    return this.#aliases.resolve(component);
  }

  /** A condition names the component: its identity implies links. True where a further job is known by it. */
  retain(component: Component, text = componentText(component)): boolean {
    this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
    this.#idle.delete(text);
    const jobs = this.#jobs.size;
    if (!this.#add(component, text)) return false;
    this.#travel?.add(component);
    this.#ways.clear();
    if (component.type === 'psu' || component.type === 'fan' || isInfrastructure(component)) this.#fed.clear();
    if (this.#jobs.size > jobs) this.#gpusOfJob.clear();
    return this.#jobs.size > jobs;
  }

  /** A condition that named the component is gone. */
  release(component: Component, text = componentText(component)): void {
    const left = (this.#uses.get(text) ?? 0) - 1;
    if (left > 0) {
      this.#uses.set(text, left);
      return;
    }
    this.#uses.delete(text);
    if (!this.#linked.has(text) && this.#components.has(text)) this.#idle.add(text);
  }

  /** Before all conditions are gone through again. */
  releaseAll(): void {
    this.#uses.clear();
    for (const text of this.#components.keys()) if (!this.#linked.has(text)) this.#idle.add(text);
  }

  hostOf(component: Component): string | null {
    return hostOf(component, this.host);
  }

  /** How trouble in `from` reaches `to`; null when it does not. */
  reach(from: Component, to: Component): Reach | null {
    const quality = this.quality(from, to);
    if (quality === 0) return null;
    const path = this.#paths.path(componentText(from), componentText(to));
    return { quality, path: path.filter((text) => !text.startsWith('work/')) };
  }

  /** The path of `reach`, empty for none; found once as long as no way changes. */
  wayBetween(from: Component, to: Component): readonly string[] {
    return this.#ways.path(from, to);
  }

  /** A text drawn from that path, drawn once. */
  wayText(from: Component, to: Component, draw: (path: readonly string[]) => string): string {
    return this.#ways.text(from, to, draw);
  }

  /** Only the quality of `reach`, 0 for none. */
  quality(from: Component, to: Component): number {
    return this.qualityOf(componentText(from), componentText(to));
  }

  /** The same by text forms. */
  qualityOf(from: string, to: string): number {
    return this.#paths.quality(from, to);
  }

  /** The best quality with which trouble in both reaches one job; 0 for none. */
  jobShare(a: Located, b: Located): number {
    const own = jobOf(b);
    if (own !== null) return this.#shareOf(a, own);
    let best = 0;
    for (const [job, quality] of this.#paths.jobs(b.text)) best = Math.max(best, quality * this.#shareOf(a, job));
    return best;
  }

  #shareOf(at: Located, job: string): number {
    const own = jobOf(at);
    return own === null ? (this.#paths.jobs(at.text).get(job) ?? 0) : Number(own === job);
  }

  /** Jobs that trouble in the component can reach, with the quality of the path; a job or rank is its own. */
  jobsOf(component: Component): ReadonlyMap<string, number> {
    if (component.type === 'job' || component.type === 'service') return new Map([[component.id, 1]]);
    const own = jobOfRank(component);
    if (own !== null) return new Map([[own, 1]]);
    return this.#paths.jobs(componentText(component));
  }

  /** A link shows that the process is of a rank, job or service, or holds a GPU: that it runs on the host is not enough. */
  isOfWork(process: Component): boolean {
    const text = componentText(process);
    for (const { from, to } of this.#links.values())
      if (componentText(from) === text || (from.type !== 'host' && componentText(to) === text)) return true;
    return false;
  }

  /** Hosts that a PDU, UPS or the like is configured to reach; empty when nothing is configured for it. */
  hostsFedBy(component: Component): readonly string[] {
    const unit = infrastructureUnit(component);
    const known = this.#fed.get(unit);
    if (known !== undefined) return known;
    const hosts = new Set<string>();
    for (const link of this.#links.values()) {
      if (!isInfrastructure(link.from) || infrastructureUnit(link.from) !== unit) continue;
      for (const text of this.#paths.all(componentText(link.to))) {
        if (text.startsWith('host/')) hosts.add(text.slice(5));
      }
    }
    const sorted = [...hosts].sort();
    this.#fed.set(unit, sorted);
    return sorted;
  }

  /** An outlet of a unit that is configured to feed this host by others of its outlets. */
  isForeignOutlet(component: Component): boolean {
    if (component.type !== 'pdu_outlet' || this.quality(component, { type: 'host', id: this.host }) > 0) return false;
    const unit = infrastructureUnit(component);
    for (const { from, to } of this.#links.values())
      if (from.type === 'pdu_outlet' && infrastructureUnit(from) === unit && this.hostOf(to) === this.host) return true;
    return false;
  }

  /** An outlet that is configured to feed this host and no other. */
  isOutletOf(component: Component, host: string): boolean {
    if (component.type !== 'pdu_outlet' || this.quality(component, { type: 'host', id: host }) < CONFIGURED)
      return false;
    for (const text of this.#paths.all(componentText(component)))
      if (text.startsWith('host/') && text !== `host/${host}`) return false;
    return true;
  }

  /** PDUs and UPSs that are configured to feed the host, in text form. */
  feedsOf(host: string): readonly string[] {
    const units = new Set<string>();
    for (const link of this.#links.values()) {
      if (isInfrastructure(link.from) && this.hostsFedBy(link.from).includes(host))
        units.add(infrastructureUnit(link.from));
    }
    return [...units].sort();
  }

  /** A job is known here. */
  get hasWork(): boolean {
    return this.#jobs.size > 0;
  }

  /** Everything that is known by name. */
  components(): Iterable<Component> {
    return this.#components.values();
  }

  /** How much hangs on a component. */
  reachCount(component: Component): number {
    return this.reachedFrom(component).size;
  }

  /** All that hangs on a component, itself included, as text. */
  reachedFrom(component: Component): ReadonlySet<string> {
    return this.#paths.all(componentText(component));
  }

  /** Whether every step of the way from one to the other is configured or certain, none assumed. */
  isConfigured(from: Component, to: Component): boolean {
    return this.quality(from, to) >= CERTAIN;
  }

  /** GPUs known on the host. */
  gpusOf(host: string): readonly Component[] {
    const known = this.#gpusOf.get(host);
    if (known !== undefined) return known;
    const gpus = [...this.#components.values()].filter((c) => c.type === 'gpu' && this.hostOf(c) === host);
    this.#gpusOf.set(host, gpus);
    return gpus;
  }

  /** GPUs that the host was seen to hold, not only heard of. */
  gpusIn(host: string): number {
    return gpusIn(host, this.#links.values());
  }

  /** GPUs of this host that a job runs on; null where that is not known. */
  gpusOfJob(job: string): number | null {
    const known = this.#gpusOfJob.get(job);
    if (known !== undefined) return known;
    const gpus = gpusOfJob(job, this.host, this.#links.values(), this.#jobs);
    if (this.#gpusOfJob.size >= MAX_COMPONENTS) this.#gpusOfJob.clear();
    this.#gpusOfJob.set(job, gpus);
    return gpus;
  }

  /** GPUs of this host that links say a service runs on; null where no link names one. */
  gpusOfService(service: string): number | null {
    return gpusOfService(service, this.host, this.#links.values());
  }

  #add(component: Component, text = componentText(component)): boolean {
    if (this.#components.has(text)) return false;
    if (this.#components.size >= MAX_COMPONENTS && !this.#sweep()) return false;
    this.#components.set(text, component);
    if (component.type === 'gpu') this.#gpusOf.clear();
    if (component.type === 'job') this.#jobs.add(component.id);
    return true;
  }

  /** Makes room for components by forgetting what nothing names any more; false where that is too little. */
  #sweep(): boolean {
    if (this.#idle.size < SWEPT) this.#forgetWork();
    if (this.#idle.size < SWEPT) return false;
    for (const text of this.#idle) {
      if (this.#components.get(text)?.type === 'job') this.#jobs.delete(text.slice('job/'.length));
      this.#components.delete(text);
    }
    this.#idle.clear();
    this.#startOver();
    return true;
  }

  /** Links of jobs that were found here go, oldest first, where no condition names them: running ones are found again. */
  #forgetWork(): boolean {
    const { keys, ends } = forgettableWork(this.#links, this.#uses);
    for (const key of keys) {
      this.#links.delete(key);
      this.#confirmed.delete(key);
    }
    for (const text of ends) {
      this.#linked.delete(text);
      this.#idle.add(text);
    }
    if (keys.length > 0) this.#startOver();
    return keys.length > 0;
  }

  /** What is known under a name that is another component's by now, as two names of one job turn out to be, becomes that one's. */
  #rename(): boolean {
    const old = [...this.#components].filter(([text, component]) => this.placeOf(component).text !== text);
    if (old.length === 0) return false;
    for (const [text, { type, id }] of old) {
      this.#components.delete(text);
      this.#linked.delete(text);
      this.#idle.delete(text);
      if (type === 'job') this.#jobs.delete(id);
    }
    const links = [...this.#links];
    const confirmed = new Set(this.#confirmed);
    this.#links.clear();
    this.#confirmed.clear();
    for (const [key, link] of links) {
      this.link(link);
      if (confirmed.has(key)) this.link({ ...link, source: link.source === 'host' ? 'configuration' : 'host' });
    }
    this.#startOver();
    return true;
  }

  #startOver(): void {
    this.#travel = null;
    this.#gpusOf.clear();
    this.#ways.clear();
    this.#fed.clear();
    this.#gpusOfJob.clear();
  }

  get #paths(): Travel {
    this.#travel ??= new Travel(this.host, [...this.#links.values()], this.#components.values());
    return this.#travel;
  }
}
