// Reads what `ethtool -S` counts since the driver was loaded, what `ethtool -m` says of a module, and `ethtool -i`, which says whose that is.

import catalog from '#catalog/ethtool.json' with { type: 'json' };
import { type Component, canonicalPciAddress, componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

interface CounterRow {
  readonly name: string;
  readonly least: number;
  readonly kind: Kind;
  readonly severity?: Severity;
  /** The card made the network wait: its host does not take what arrives. */
  readonly storm?: boolean;
}

const COUNTERS = new Map((catalog.counters as readonly CounterRow[]).map((row) => [row.name, row])); // held against its lists by test/catalog/reports.test.ts
const ALARMS = new Map(catalog.module.map(({ name, kind }) => [name, kind as Kind]));
const DRIVER = /^driver: \S{1,40}$/;
const BUS = /^bus-info: (\S{7,16})\s*$/;
const SETTINGS = /^Settings for ([\w.@-]{1,32}):\s*$/;
/** As a terminal shows what was asked: "root@gx-9:~# ethtool -S ens2np0". */
const ASKED = /(?:^|[$#%>] {0,2}|\bsudo )ethtool (?:-[SmTi]|--(?:statistics|module-info|driver)) ([\w.@-]{1,32})\s*$/;
const STATISTICS = /^NIC statistics:\s*$/;
const COUNTER = /^\s+([A-Za-z[][\w.[\]: -]{1,60}?) ?: (\d{1,20})\s*$/;
const MODULE = /^\t([A-Z][A-Za-z /()-]{3,60}?) +: (.{1,80})$/;
const IDENTIFIER = /^\tIdentifier +: 0x[0-9a-f]{2} \(/;
const MOST_LINE = 256;
/** Of an interface that is named for InfiniBand, which has no use but the fabric: a port of Ethernet may be meant to be empty. */
const UNLINKED = /^\tLink detected: no\s*$/;
const OF_FABRIC = /^ib[\w.-]{1,14}$/;
const CELSIUS = /^(-?\d{1,3}(?:\.\d{1,3})?) degrees C\b/;

export class Ethtool implements ReportReader {
  readonly form = 'ethtool';
  readonly #host: string;
  #interface: string | null;
  #address: string | null = null;
  #reads: 'counters' | 'module' | null = null;

  /** `path`: of the text, whose name often has that of the interface. */
  constructor(host: string, path: string) {
    this.#host = host;
    this.#interface = /ethtool[_-]{1,3}[A-Za-z]{0,3}_([\w.@-]{1,32}?)(?:\.(?:txt|log|out))?$/.exec(path)?.[1] ?? null;
  }

  take(line: string): Reported | null {
    if (line.length > MOST_LINE) return null;
    if (this.#heading(line)) return NOTHING;
    if (UNLINKED.test(line) && OF_FABRIC.test(this.#interface ?? ''))
      return this.#found('nic.port_down', { reported_as: 'Link detected' }, 'link');
    if (this.#reads === 'counters') return this.#counter(line);
    return this.#reads === 'module' ? this.#module(line) : null;
  }

  #heading(line: string): boolean {
    const name = (SETTINGS.exec(line) ?? ASKED.exec(line))?.[1];
    const bus = BUS.exec(line)?.[1];
    if (name !== undefined) {
      this.#interface = name;
      this.#address = null;
    } else if (DRIVER.test(line)) this.#address = null;
    else if (bus !== undefined) this.#address = canonicalPciAddress(bus);
    else if (STATISTICS.test(line)) this.#reads = 'counters';
    else if (IDENTIFIER.test(line)) this.#reads = 'module';
    else return false;
    return true;
  }

  #counter(line: string): Reported | null {
    const [, name = '', digits] = COUNTER.exec(line) ?? [];
    if (digits === undefined) {
      this.#reads = null;
      return null;
    }
    const row = COUNTERS.get(name);
    const count = Number(digits);
    if (row === undefined || count < row.least) return NOTHING;
    const storm = row.storm === true ? { pause_storm: true, action: 'inspect_hardware' } : {};
    return this.#found(row.kind, { counter: name, count, ...storm }, name, row.severity);
  }

  #module(line: string): Reported | null {
    const [, name = '', value] = MODULE.exec(line) ?? [];
    if (value === undefined) {
      this.#reads = null;
      return null;
    }
    const celsius = name === 'Module temperature' ? CELSIUS.exec(value)?.[1] : undefined;
    if (celsius !== undefined) {
      const component = this.#address === null ? '' : `nic/${this.#address}`;
      return {
        ...NOTHING,
        readings: [{ component, quantity: 'module_temperature', value: Number(celsius), unit: '°C' }],
      };
    }
    const kind = ALARMS.get(name);
    return kind === undefined || value.trim() !== 'On' ? NOTHING : this.#found(kind, { reported_as: name }, name);
  }

  #found(
    kind: Kind,
    more: Readonly<Record<string, string | number | boolean>>,
    what: string,
    severity?: Severity,
  ): Reported {
    const component = this.#component();
    const attributes = { ...more, ...(this.#interface === null ? {} : { interface: this.#interface }) };
    const place = component === null ? (this.#interface ?? '') : componentText(component);
    const finding = { kind, component, attributes, discriminator: `${place} ${what}` };
    return { ...NOTHING, findings: [severity === undefined ? finding : { ...finding, severity }] };
  }

  /** A name of an interface is not an address: without `ethtool -i` the card stays unnamed. */
  #component(): Component | null {
    if (this.#address === null) return null;
    const aliases = this.#interface === null ? {} : { aliases: [this.#interface] };
    return { type: 'nic', id: this.#address, host: this.#host, ...aliases };
  }
}
