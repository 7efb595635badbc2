// Reads what `nvidia-smi -q` prints, and the XML of `nvidia-smi -q -x`: names below names, by indentation or by element.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import { withTemperature } from './heat.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';
import { factsOf, pathName } from './smi-facts.ts';

/** Nothing else prints these at the start of a line; a part of the output begins with one of them, too. */
const OPENS =
  /^(?:=+NVSMI LOG=+|Attached GPUs +:|GPU [0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|<nvidia_smi_log>| *(?:Clocks (?:Throttle|Event) Reasons|GPU Power Readings|ECC Errors|Remapped Rows|Link Width|FB Memory Usage|Max Clocks|Fabric))\s*$|^Driver Version +: \d|^Attached GPUs +: \d/;
const GPU = /^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$/;
const VALUE = /^( *)([A-Z][\w ./()+-]{0,60}?) *: (.{0,200})$/;
/** Unindented, only those that such a text was seen to begin with: any word could be a line of another program. */
const SECTION =
  /^( +)([A-Z][\w ./()+-]{0,60})$|^()(Clocks(?: (?:Throttle|Event) Reasons)?|Max Clocks|(?:Default )?Applications Clocks|Temperature|Utilization|(?:GPU )?Power Readings|ECC Errors|Remapped Rows|Retired Pages|PCI|Fabric|Processes)\s*$/;
const ELEMENT = /^\s*<(\w{1,64})>([^<]{0,200})<\/\1>\s*$/;
const BEGINS = /^\s*<(\w{1,64})(?: id="([0-9A-Fa-f:.]{7,16})")?>\s*$/;
const ENDS = /^\s*<\/(\w{1,64})>\s*$/;
const DEEPEST = 12;
const MOST_LINES = 8;
/** What a slowdown by heat is read with: it follows the reasons. */
const HEAT = /(?:^|\/)(?:temperature\/gpu_(?:current_)?temp|clocks\/sm(?:_clock)?)$/;

interface Level {
  readonly indent: number;
  readonly name: string;
}

export class SmiQuery implements ReportReader {
  readonly form = 'nvidia_smi';
  readonly #host: string;
  #open = false;
  #gpu: Component | null = null;
  #levels: Level[] = [];
  /** That heat slows this GPU down, with what it was read from. */
  #heat: ReportedFinding | null = null;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (OPENS.test(line)) this.#open = true;
    if (!this.#open) return null;
    return this.#gpuLine(line) ?? this.#element(line) ?? this.#value(line) ?? this.#section(line) ?? this.#close();
  }

  #gpuLine(line: string): Reported | null {
    const address = GPU.exec(line)?.[1];
    return address === undefined ? null : this.#begin(address);
  }

  #begin(address: string): Reported {
    const id = canonicalPciAddress(address);
    this.#gpu = id === null ? null : { type: 'gpu', id, host: this.#host };
    this.#levels = [];
    this.#heat = null;
    return NOTHING;
  }

  #element(line: string): Reported | null {
    const [, tag = '', value] = ELEMENT.exec(line) ?? [];
    if (value !== undefined) return this.#facts(tag, value, `${tag}: ${value.trim()}`);
    const [, begun, id] = BEGINS.exec(line) ?? [];
    if (begun === 'gpu' && id !== undefined) return this.#begin(id);
    if (begun !== undefined) return this.#enter({ indent: this.#levels.length, name: begun });
    if (!ENDS.test(line)) return null;
    this.#levels.pop();
    return NOTHING;
  }

  #value(line: string): Reported | null {
    const [, blanks, name = '', value = ''] = VALUE.exec(line) ?? [];
    if (blanks === undefined) return null;
    this.#leave(blanks.length);
    return this.#facts(pathName(name), value, `${name}: ${value.trim()}`);
  }

  /** Each line that tells more of the heat says the same finding again, with all of them: of one report it stays one event. */
  #facts(name: string, value: string, line: string): Reported {
    const path = this.#path(name);
    const facts = factsOf(path, value, this.#gpu);
    const heat = facts.findings.find(({ kind }) => kind === 'gpu.thermal_throttle');
    const known = heat ?? (HEAT.test(path) ? this.#heat : null);
    if (known === null) return facts;
    const before = this.#heat?.attributes ?? {};
    const all = { ...known, attributes: { ...before, ...known.attributes } };
    const lines = [...(this.#heat?.lines ?? []), line].slice(0, MOST_LINES);
    this.#heat = { ...withTemperature(all, facts.readings), lines };
    return { ...facts, findings: [...facts.findings.filter((each) => each !== heat), this.#heat] };
  }

  #section(line: string): Reported | null {
    const [, indented, below, flush, top] = SECTION.exec(line) ?? [];
    const [blanks, name] = [indented ?? flush, below ?? top];
    if (blanks === undefined || name === undefined) return /^\s*\[\.{3}\]\s*$/.test(line) ? NOTHING : null;
    this.#leave(blanks.length);
    return this.#enter({ indent: blanks.length, name: pathName(name) });
  }

  #enter(level: Level): Reported {
    if (this.#levels.length < DEEPEST) this.#levels.push(level);
    return NOTHING;
  }

  #leave(indent: number): void {
    while ((this.#levels.at(-1)?.indent ?? -1) >= indent) this.#levels.pop();
  }

  #path(name: string): string {
    return [...this.#levels.map((level) => level.name), name].join('/');
  }

  /** A line that is none of the report ends it. */
  #close(): null {
    this.#open = false;
    this.#gpu = null;
    this.#levels = [];
    this.#heat = null;
    return null;
  }
}
