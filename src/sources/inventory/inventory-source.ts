// Inventory source: compares the parts that are there with those that this host has had, over reboots and restarts.

import { constants } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { openOwn } from '../../helpers/files/own-file.ts';
import { readStart } from '../../helpers/read-start.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Difference } from '../../identity/parts/compare.ts';
import type { KnownPart, Part, PartType } from '../../identity/parts/part.ts';
import type { Kind } from '../../model/kind.ts';
import type { Interval } from '../../model/time.ts';
import { PolledSource } from '../files/polled-source.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { SourceHealth } from '../source.ts';
import type { Disk } from './disk.ts';
import { readDisks } from './disks.ts';
import { changedEvent, diskDiscovery, missingEvent, missingKind, SOURCE } from './part-event.ts';
import { PciReader } from './pci-parts.ts';
import type { InventorySettings } from './settings.ts';
import { parseSmbios, type Smbios } from './smbios.ts';

/** Missing from so many looks in a row on: a device that is reset leaves the bus for a moment. */
const LOOKS = 2;
const MOST_DMI_BYTES = 1024 * 1024;
const TABLE = 'firmware/dmi/tables/DMI';
const DENIED = ['EACCES', 'EPERM'];
const PLURALS: Readonly<Record<PartType, string>> = { gpu: 'GPUs', nic: 'network cards', dimm: 'memory modules', psu: 'supplies', disk: 'disks' }; // biome-ignore format: one line

export interface InventoryOptions {
  readonly host: string;
  readonly sys: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly files: SmallFiles;
  readonly identity: Identity;
  /** The table of the firmware; its file in `sys` where left out. */
  readonly dmi?: () => Promise<Buffer>;
}

interface Missing {
  readonly part: Part | { readonly type: PartType };
  readonly kind: Kind;
  /** Of the last look that saw it, ms. */
  readonly fromMs: number;
  looks: number;
  reported: boolean;
}

export class InventorySource extends PolledSource {
  readonly #options: InventoryOptions;
  readonly #pci: PciReader;
  /** Missing parts by type and slot: how often in a row, and whether it was reported. */
  readonly #missing = new Map<string, Missing>();
  /** Parts that this run saw, by type and slot. */
  readonly #there = new Set<string>();
  readonly #counts = new Map<PartType, number>();
  /** Disks whose names were reported, by slot and name. */
  readonly #named = new Set<string>();
  #smbios: Smbios | null = null;
  #blind: string | null = null;
  #begun = false;
  #lastMs: number | null = null;

  constructor(config: InventorySettings, options: InventoryOptions) {
    super(SOURCE, config.intervalMs, options.files);
    this.#options = options;
    this.#pci = new PciReader(options.files, options.sys);
    options.identity.parts.whenAccepted((part) => this.#accepted(part));
  }

  protected lookedHealth(): SourceHealth {
    const { identity } = this.#options;
    const there = [...this.#counts]
      .filter(([, count]) => count > 0)
      .map(([type, count]) => `${count} ${PLURALS[type]}`);
    const gone = identity.parts.all().filter(({ missingSinceMs }) => missingSinceMs !== null);
    const parts = [there.length === 0 ? 'no parts' : there.join(', ')];
    if (gone.length > 0) parts.push(`${gone.length} missing: faultline inventory lists them`);
    if (this.#blind !== null) parts.push(`FL2507 memory modules are not seen: ${this.#blind}`);
    if (identity.parts.trouble !== null) parts.push(identity.parts.trouble);
    const remedy =
      this.#blind === null
        ? null
        : 'give the service CAP_DAC_READ_SEARCH as the shipped unit does; in a container, mount /sys/firmware';
    return { source: SOURCE, status: 'works', detail: [...parts, ...this.hanging()].join('; '), remedy };
  }

  protected async round(): Promise<void> {
    const { identity, files, sys, now } = this.#options;
    if (!this.#begun) {
      this.#smbios = await this.#readSmbios();
      identity.parts.isOn(this.#smbios?.machine ?? null);
      this.#begun = true;
    }
    const pci = await this.#pci.read();
    const disks = await readDisks(files, sys);
    if (this.emit === null) return;
    const timeMs = now();
    if (pci !== null) {
      this.#look('gpu', this.#gpus(pci.gpus), timeMs);
      this.#look('nic', pci.nics, timeMs);
    }
    if (disks !== null) {
      this.#name(disks);
      this.#look('disk', disks.map(({ device: _device, ...part }) => part), timeMs); // biome-ignore format: one line
    }
    if (this.#smbios !== null && this.#smbios.modules.length > 0) this.#look('dimm', this.#smbios.modules, timeMs);
    const supplies = identity.supplies.listed();
    if (supplies !== null) this.#look('psu', supplies, timeMs);
    this.#lastMs = timeMs;
  }

  /** Reports once of each disk what the kernel calls it. */
  #name(disks: readonly Disk[]): void {
    for (const disk of disks) {
      const key = `${disk.slot} ${disk.device}`;
      const found = this.#named.has(key) ? null : diskDiscovery(disk, this.#options.host);
      if (found === null) continue;
      this.#named.add(key);
      this.emit?.discovery(found);
    }
  }

  /** What operators take out on purpose is expected no more. */
  #accepted(part: KnownPart): void {
    const { host, now, identity } = this.#options;
    const timeMs = now();
    const when = { earliestMs: timeMs, latestMs: timeMs };
    const key = `${part.type} ${part.slot}`;
    const kind = this.#missing.get(key)?.kind ?? missingKind(part.type, this.#there.has(key));
    this.#missing.delete(key);
    const count = { present: this.#counts.get(part.type) ?? 0, known: identity.parts.of(part.type).length };
    this.emit?.event(changedEvent('accepted', part, part, when, host));
    this.emit?.event(missingEvent(kind, part, 'clear', when, host, count));
  }

  /** As the driver names those that it lists. */
  #gpus(addresses: readonly string[]): Part[] {
    const { gpus } = this.#options.identity.gpus.facts();
    return addresses.map((slot): Part => {
      const aliases = gpus.find(({ id }) => id === slot)?.aliases ?? [];
      // A board's serial is not always given, and several GPUs may share it.
      const serial = aliases.find((alias) => alias.startsWith('GPU-'));
      return { type: 'gpu', slot, serial: serial ?? null, model: null };
    });
  }

  #look(type: PartType, present: readonly Part[], timeMs: number): void {
    const { parts } = this.#options.identity;
    const first = parts.of(type).length === 0;
    const found = parts.compare(type, present);
    const earliestMs = Math.min(timeMs, this.#lastMs ?? parts.seenMs ?? timeMs);
    const when = { earliestMs, latestMs: timeMs };
    this.#counts.set(type, present.length);
    for (const { slot } of present) this.#there.add(`${type} ${slot}`);
    parts.settle(type, found);
    if (!first) this.#facts(found, when);
    this.#gone(type, found, present.length, when);
  }

  #facts({ swapped, moved, added }: Difference, when: Interval): void {
    const { host } = this.#options;
    for (const { before, after } of swapped) this.emit?.event(changedEvent('swapped', after, before, when, host));
    for (const { before, after } of moved) this.emit?.event(changedEvent('moved', after, before, when, host));
    for (const part of added) this.emit?.event(changedEvent('added', part, null, when, host));
  }

  #gone(type: PartType, { missing, unnamed }: Difference, present: number, when: Interval): void {
    const { host, identity } = this.#options;
    const count = { present, known: identity.parts.of(type).length };
    const now = new Map<string, Part | { type: PartType }>();
    for (const part of missing) now.set(`${type} ${part.slot}`, part);
    if (unnamed > 0) now.set(`${type} ?`, { type });
    for (const [key, { kind, part, reported }] of this.#missing) {
      if (part.type !== type || now.has(key)) continue;
      this.#missing.delete(key);
      if (reported) this.emit?.event(missingEvent(kind, part, 'clear', when, host, count));
    }
    for (const [key, part] of now) {
      const kind = missingKind(type, this.#there.has(key));
      const known = this.#missing.get(key) ?? { kind, looks: 0, reported: false, part, fromMs: when.earliestMs };
      this.#missing.set(key, known);
      known.looks += 1;
      if (known.reported || known.looks < LOOKS) continue;
      known.reported = true;
      // It went between the last look that saw it and this one, not between two that did not.
      const since = { earliestMs: known.fromMs, latestMs: when.latestMs };
      this.emit?.event(missingEvent(known.kind, part, 'onset', since, host, count));
    }
  }

  async #readSmbios(): Promise<Smbios | null> {
    const path = join(this.#options.sys, TABLE);
    try {
      return parseSmbios(await (this.#options.dmi ?? (() => readTable(path)))());
    } catch (error) {
      const code = errorCode(error) ?? 'no answer';
      if (DENIED.includes(code)) this.#blind = `${path} may not be read (${code})`;
      // A board that has one, and a container that hides it; a virtual machine without the table has nothing to hide.
      else if ((await this.files.list(join(this.#options.sys, 'class/dmi/id'))) !== null)
        this.#blind = `${path} is not there (${code})`;
      return null;
    }
  }
}

async function readTable(path: string): Promise<Buffer> {
  await using file = await openOwn(path, constants.O_RDONLY);
  return await readStart(file, MOST_DMI_BYTES);
}
