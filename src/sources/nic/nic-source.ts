// NIC source: ports, counters, links and temperatures of the network cards, and cards that are gone, from sysfs.

import { basename, join } from 'node:path';
import type { NicNames } from '../../identity/host-nics.ts';
import { canonicalPciAddress } from '../../model/component.ts';
import type { Emit } from '../../model/record.ts';
import type { KernelRecord } from '../../native.ts';
import { KernelEcho } from '../files/kernel-echo.ts';
import { selfInflicted } from '../files/self-inflicted.ts';
import { SmallFiles } from '../files/small-files.ts';
import { type Watch, WatchedSource, type WatchPlan } from '../files/watched-source.ts';
import type { SourceHealth } from '../source.ts';
import { BeforeStart } from './before-start.ts';
import { SLOW_ROUNDS } from './catalogue.ts';
import type { ReadEthtool } from './ethtool.ts';
import { findNics, listNames, type Names, type Nic } from './find-nics.ts';
import { nicComponent, presenceEvent } from './nic-event.ts';
import { nicHealth } from './nic-health.ts';
import { nicNames } from './nic-names.ts';
import { nicPlan } from './nic-plan.ts';
import { NicReader } from './nic-reader.ts';
import { NicRound, type PortMemory, type Round } from './nic-round.ts';
import { type BusView, PresenceWatch } from './presence-watch.ts';
import { QueueWatch, type QueueWatchOptions } from './queue-watch.ts';
import type { NicSettings } from './settings.ts';

export const SOURCE = 'nic';
/** Cards are looked for again after this many rounds, though no name changed. */
const ROUNDS_OF_CARDS = 60;
/** Where there is no card, only each so many rounds look for one. */
const ROUNDS_WITHOUT = 12;
/** What native code says of the group of a card: two times, and of its two rates the total and the growth. */
const CARD_FIGURES = 6;

export interface NicOptions {
  readonly host: string;
  readonly sys: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly files?: SmallFiles;
  /** Left out: no port is remembered. */
  readonly ports?: PortMemory;
  /** Left out where `sys` is not the tree of the network that this process is in: another interface may have the name. */
  readonly ethtool?: ReadEthtool;
  /** Called with the names of all cards; left out, they are not asked for. */
  readonly known?: (facts: NicNames) => void;
  /** Left out: queues are not asked for. */
  readonly queues?: Omit<QueueWatchOptions, 'isNeeded'>;
  /** Called after each round with the interfaces that were never up. */
  readonly neverUp?: (interfaces: ReadonlySet<string>) => void;
  /** Has native code read while nothing changes; left out, all is read here. */
  readonly watch?: Watch;
}

export class NicSource extends WatchedSource {
  protected readonly slowRounds = SLOW_ROUNDS;
  readonly #options: NicOptions;
  readonly #echo = new KernelEcho();
  readonly #configured: ReadonlySet<string>;
  readonly #cards = new Map<string, NicRound>();
  /** Cards that were there before and are not now. */
  readonly #away = new Map<string, NicRound>();
  readonly #presence = new PresenceWatch();
  #before: BeforeStart | null = null;
  #round = 0;
  #names: Names | null = null;
  /** Cards as native code reads them, in the order of its groups. */
  #read: readonly NicRound[] = [];
  /** Rounds after which what they are for was done, of those that native code reads. */
  #slowAt = 0;
  #lookedAt = 0;
  readonly #queues: QueueWatch | null;

  constructor(config: NicSettings, options: NicOptions) {
    super(SOURCE, config.intervalMs, options.files ?? new SmallFiles(), 'kernel', options.watch ?? null);
    this.#options = options;
    const { queues } = options;
    const isNeeded = () => [...this.#cards.values()].some(({ nic }) => nic.rdma !== null);
    this.#queues = queues === undefined ? null : new QueueWatch({ ...queues, isNeeded });
    this.#configured = new Set(config.fabric.map((one) => canonicalPciAddress(one) ?? one));
  }

  override start(emit: Emit, signal: AbortSignal): void {
    const { ports, now } = this.#options;
    this.#before = ports === undefined ? null : new BeforeStart(ports, this.#presence, now());
    super.start(emit, signal);
    this.#queues?.start();
  }

  override async stop(): Promise<void> {
    this.#queues?.stop();
    await super.stop();
  }

  protected lookedHealth(): SourceHealth {
    const health = nicHealth(this.#options.sys, [...this.#cards.values()], [...this.#away.keys()], this.stuck);
    const lack = this.#queues?.lack ?? null;
    return lack === null ? health : { ...health, notes: [...(health.notes ?? []), lack] };
  }

  /** Lines of the kernel: errors that our own reads caused end those reads. */
  handleRecords(records: readonly KernelRecord[]): void {
    for (const { path, record } of this.#echo.hear(records)) {
      this.files.refuse(path, 'kernel errors');
      this.emit?.event(selfInflicted(SOURCE, this.#options.host, path, record, this.#options.now()));
    }
  }

  protected async look(): Promise<void> {
    const idle = this.looked && this.#cards.size === 0 && !this.#waits;
    this.#round += 1;
    if (idle && this.#round % ROUNDS_WITHOUT !== 0) return;
    await this.#look(this.#round % ROUNDS_OF_CARDS === 0);
    for (const card of this.#cards.values()) this.#tell(await card.read());
    this.#options.neverUp?.(new Set([...this.#cards.values()].flatMap((card) => card.neverUp)));
  }

  protected plan(): WatchPlan | null {
    if (this.#names === null || this.#cards.size === 0 || this.#waits) return null;
    const refused = (path: string): boolean => this.files.refusal(path) !== undefined;
    const groups: WatchPlan[number][] = [];
    for (const card of this.#cards.values()) {
      const { known } = card;
      const group = known === null ? null : nicPlan(card.reader.last, known, refused);
      if (group === null) return null;
      groups.push(group);
    }
    this.#read = [...this.#cards.values()];
    this.#slowAt = 0;
    this.#lookedAt = 0;
    const names = (list: readonly string[] | null): string | null => (list === null ? null : list.join('/'));
    const folders = this.#names.folders.map((one) => ({ path: one.path, folder: true, expected: names(one.names) }));
    return [...groups, { files: folders, series: [] }];
  }

  protected async meanwhile(rounds: number): Promise<boolean> {
    const cardsDue = rounds - this.#lookedAt >= ROUNDS_OF_CARDS;
    if (cardsDue) {
      this.#lookedAt = rounds;
      const before = [...this.#cards.values()].map(({ reader }) => reader);
      await this.#look(true);
      const now = [...this.#cards.values()].map(({ reader }) => reader);
      if (this.#away.size > 0 || now.length !== before.length || now.some((one, i) => one !== before[i])) return false;
    }
    if (rounds - this.#slowAt < SLOW_ROUNDS) return true;
    this.#slowAt = rounds;
    const asked = this.#read.filter((card) => cardsDue || card.asks);
    const groups = asked.length === 0 ? null : this.watched;
    for (const card of asked) {
      const at = this.#read.indexOf(card) * CARD_FIGURES;
      const [, , , received = Number.NaN, , transmitted = Number.NaN] = groups?.subarray(at, at + CARD_FIGURES) ?? [];
      this.#tell(await card.readSlow(Math.max(received, transmitted)));
    }
    return true;
  }

  protected taken(rounds: number, groups: Float64Array): void {
    this.#round += rounds;
    for (const [i, card] of this.#read.entries()) {
      const at = i * CARD_FIGURES;
      const [, timeMs = Number.NaN, received = Number.NaN, , transmitted = Number.NaN] = groups.subarray(
        at,
        at + CARD_FIGURES,
      );
      if (!Number.isNaN(timeMs)) card.same(rounds, timeMs, received, transmitted);
    }
    this.#read = [];
  }

  /** A card is missing, so that each round looks for it. */
  get #waits(): boolean {
    return this.#away.size > 0 || (this.#before?.addresses.length ?? 0) > 0;
  }

  #tell({ samples, events }: Round): void {
    for (const event of events) this.emit?.event(event);
    if (samples.length === 0) return;
    this.emit?.samples({
      source: SOURCE,
      trust: 'kernel',
      keys: samples.map(({ key }) => key),
      timesMs: samples.map(({ timeMs }) => timeMs),
      values: samples.map(({ value }) => value),
    });
  }

  /** Which cards are there, and which are not any more. While a file hangs nothing is said about that. */
  async #look(again: boolean): Promise<void> {
    const { sys } = this.#options;
    const names = await listNames(this.files, sys);
    if (names === null) return;
    const changed = again || !sameNames(names, this.#names);
    this.#names = names;
    if (changed) {
      const found = await findNics(this.files, sys, names);
      if (this.files.stuck.length > 0) {
        this.#names = null; // look again when it answers
        return;
      }
      for (const [address, card] of this.#cards) if (!found.has(address)) this.#lose(address, card);
      for (const [address, nic] of found) this.#take(address, nic);
      await this.#name(names, found);
    }
    for (const [address, card] of this.#away) {
      const bus = await this.#bus(card.nic.device);
      const edge = bus === null ? null : this.#presence.gone(address, bus, this.#options.now());
      if (edge !== null) this.emit?.event(presenceEvent(edge, card.component, this.#options.now()));
    }
    for (const address of this.#before?.addresses ?? []) await this.#sinceStart(address);
  }

  async #sinceStart(address: string): Promise<void> {
    const { host, now } = this.#options;
    const bus = await this.#bus(address);
    const edge = bus === null ? null : (this.#before?.gone(address, bus, now()) ?? null);
    if (edge === null) return;
    const component = nicComponent({ address, device: address, ports: [], rdma: null, interfaces: [] }, host);
    this.emit?.event(presenceEvent(edge, component, now()));
  }

  /** What work calls them; while a file hangs, what is known stays. */
  async #name(names: Names, nics: ReadonlyMap<string, Nic>): Promise<void> {
    const { sys, host, known } = this.#options;
    if (known === undefined) return;
    const componentOf = (nic: Nic) => nicComponent(nic, host);
    const facts = await nicNames(this.files, { sys, names, nics, componentOf });
    if (facts !== null) known(facts);
  }

  #take(address: string, nic: Nic): void {
    const away = this.#away.get(address);
    const before = this.#cards.get(address) ?? away;
    if (before !== undefined && away === undefined && same(before.nic, nic)) return;
    const reader = new NicReader(nic, this.files, this.#echo, this.#options.now, this.#options.ethtool);
    const card =
      before ?? new NicRound(reader, this.#options.host, this.#configured, this.#options.now, this.#options.ports);
    this.#forget(nic);
    if (before !== undefined) card.replaced(reader, away !== undefined);
    this.#away.delete(address);
    this.#before?.here(address);
    this.#cards.set(address, card);
    const { component } = card;
    const timeMs = this.#options.now();
    const back = this.#presence.seen(address, this.#roleOf(card), timeMs);
    if (back !== null) this.emit?.event(presenceEvent(back, component, timeMs));
    this.emit?.discovery({
      component,
      links: [{ from: { type: 'host', id: this.#options.host }, to: component, relation: 'contains', source: 'host' }],
    });
  }

  #lose(address: string, card: NicRound): void {
    this.#presence.seen(address, this.#roleOf(card), card.lastMs);
    this.#cards.delete(address);
    this.#away.set(address, card);
    this.#forget(card.nic);
  }

  /** Null while a file hangs. */
  async #bus(device: string): Promise<BusView | null> {
    const folder = join(this.#options.sys, 'bus/pci/devices', basename(device));
    const onBus = (await this.files.real(folder)) !== null;
    const driver = onBus ? await this.files.link(join(folder, 'driver')) : null;
    return this.files.stuck.length > 0 ? null : { onBus, driver: driver === null ? null : basename(driver) };
  }

  #roleOf(card: NicRound): { rdma: boolean; management: boolean } {
    return { rdma: card.nic.rdma !== null, management: card.role === 'management' };
  }

  #forget({ device, rdma, interfaces }: Nic): void {
    this.files.forget(`${device}/`);
    if (rdma !== null) this.files.forget(join(this.#options.sys, 'class/infiniband', rdma, '/'));
    for (const { folder } of interfaces) this.files.forget(`${folder}/`);
  }
}

function same(a: Nic, b: Nic): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameNames(a: Names, b: Names | null): boolean {
  const text = ({ rdma, interfaces }: Names): string => JSON.stringify([rdma, interfaces]);
  return b !== null && text(a) === text(b);
}
