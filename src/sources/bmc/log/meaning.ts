// What an entry of a log means: by the key of its message where its registry is known, by the name of OpenBMC's error, in IPMI's form by sensor and event, else by its text.

import catalogue from '#catalog/redfish-log.json' with { type: 'json' };
import { moduleName, NUMBERED } from '../../../detection/text/report/sensor-part.ts';
import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { coolingComponent, fanComponent, hostComponent, supplyComponent } from '../components.ts';
import { sameLink } from '../decode/json.ts';
import type { LogEntry } from './log-entry.ts';

type Of = 'psu' | 'fan' | 'dimm' | 'host';

interface Row {
  readonly kind: Kind;
  readonly edge: 'onset' | 'clear';
  readonly of: Of;
  /** Other than that of its kind. */
  readonly severity?: Severity;
  readonly id: RegExp;
  readonly text: RegExp;
}

interface SelRow {
  readonly kind: Kind;
  readonly of: Of;
  readonly sensor: RegExp;
  readonly event: RegExp;
}

interface NamedRow {
  readonly kind: Kind;
  readonly of: Of;
  /** Of an error on OpenBMC's bus. */
  readonly name: RegExp;
}

// Kinds and edges are held against their lists by test/sources/bmc/log/meaning.test.ts.
const ROWS = catalogue.rows.map((row) => ({
  ...row,
  id: new RegExp(row.id),
  text: new RegExp(row.text, 'i'),
})) as readonly Row[];
const SEL = catalogue.sel.map((row) => ({
  ...row,
  sensor: new RegExp(row.sensor, 'i'),
  event: new RegExp(row.event, 'i'),
})) as readonly SelRow[];

const OPENBMC = catalogue.openbmc.map((row) => ({
  ...row,
  name: new RegExp(`^(?:${row.name})$`),
})) as readonly NamedRow[];

/** The parts that the BMC lists: what a log names is one of them, or only the host is known. */
export interface KnownParts {
  /** Slot, and the paths of the resources that are it. */
  readonly supplies: readonly { readonly slot: string; readonly paths: readonly string[] }[];
  readonly fans: readonly { readonly slot: string; readonly paths: readonly string[] }[];
  /** The service is that of one coolant unit. */
  readonly ownUnit?: boolean;
}

export interface Meaning {
  readonly kind: Kind;
  readonly edge: 'onset' | 'clear';
  /** Other than that of its kind. */
  readonly severity?: Severity;
  readonly component: Component;
  /** The part by name where it is not one that is listed. */
  readonly named: string | null;
}

/** Null where it means nothing that is reported. */
export function meaningOf(entry: LogEntry, host: string, parts: KnownParts): Meaning | null {
  const row = rowOf(entry);
  if (row === null) return null;
  const { of } = row;
  const edge = row.edge === 'onset' && entry.deasserted ? 'clear' : row.edge;
  const said = { kind: row.kind, edge, ...(row.severity === undefined ? {} : { severity: row.severity }) };
  if (of === 'host') {
    const component = coolingComponent(host, parts.ownUnit === true && row.kind.startsWith('cooling.') ? '' : null);
    return { ...said, component, named: null };
  }
  if (of === 'dimm') return { ...said, component: moduleIn(entry, host), named: null };
  const list = of === 'psu' ? parts.supplies : parts.fans;
  const named = numberIn(entry, of);
  const slot =
    list.find(({ paths }) => paths.some((path) => sameLink(path, entry.origin)))?.slot ??
    list.find((part) => part.slot.toLowerCase() === named?.toLowerCase())?.slot;
  if (slot === undefined) return { ...said, component: hostComponent(host), named };
  return { ...said, component: of === 'psu' ? supplyComponent(host, slot) : fanComponent(host, slot), named: null };
}

function rowOf(entry: LogEntry): Pick<Row, 'kind' | 'edge' | 'of' | 'severity'> | null {
  const key = entry.messageId?.split('.').at(-1) ?? '';
  const byKey = ROWS.find(({ id }) => id.test(key));
  if (byKey !== undefined) return byKey;
  // Its Redfish service has the same name as the text of the entry.
  const byName = OPENBMC.find(({ name }) => name.test(entry.messageId ?? entry.text));
  if (byName !== undefined) return { ...byName, edge: 'onset' };
  const { sensorType } = entry;
  const bySensor = SEL.find(
    ({ sensor, event }) => sensorType !== null && sensor.test(sensorType) && event.test(entry.text),
  );
  if (bySensor !== undefined) return { ...bySensor, edge: 'onset' };
  // What comes back is looked for first: "power input … has been restored" has the words of a loss in it.
  const [clears, onsets] = [ROWS.filter(({ edge }) => edge === 'clear'), ROWS.filter(({ edge }) => edge === 'onset')];
  return [...clears, ...onsets].find(({ text }) => text.test(entry.text)) ?? null;
}

/** The host where no module is named. */
function moduleIn({ text, args, origin }: LogEntry, host: string): Component {
  for (const place of [text, ...args, origin?.split('/').at(-1) ?? '']) {
    const name = moduleName(place);
    if (name === undefined) continue;
    return { type: 'dimm', id: `${host}/${name}`, host, parent: `host/${host}` };
  }
  return hostComponent(host);
}

/** "2" of "PSU.Slot.2", "Power supply 2" or an argument of the message. */
function numberIn({ text, args, origin }: LogEntry, of: 'psu' | 'fan'): string | null {
  for (const place of [text, ...args, origin?.split('/').at(-1) ?? '']) {
    const found = NUMBERED[of].exec(place)?.[1];
    if (found !== undefined) return found.replace(/^0+(?=\d)/, '');
  }
  return null;
}
