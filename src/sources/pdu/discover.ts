// Finds out what a PDU is and which of the catalogue's tables, rows and columns it answers.

import { catalogueOrder, type PduCatalogue, type PduModule } from './catalogue.ts';
import { descriptionToken, rawNumber, rawText } from './decode.ts';
import { addTable } from './discover-table.ts';
import { FoundParts } from './found-parts.ts';
import { normalOid, oidSuffix } from './oid.ts';
import type { PduPlan } from './pdu-plan.ts';
import type { SnmpRequests } from './request.ts';
import { SnmpError } from './snmp-error.ts';
import { unknownDevice, vendorOf } from './vendors.ts';

export const SYS_UP_TIME = '1.3.6.1.2.1.1.3.0';
const SYS_DESCR = '1.3.6.1.2.1.1.1.0';
const SYS_OBJECT_ID = '1.3.6.1.2.1.1.2.0';

export interface DiscoverOptions {
  /** Read only these modules of the catalogue; all where left out. */
  readonly modules?: readonly string[];
}

/** Rejects with SnmpError: `not_a_pdu` where the device answers but has none of the catalogue's tables. */
export async function discoverPdu(
  requests: SnmpRequests,
  name: string,
  options: DiscoverOptions = {},
): Promise<PduPlan> {
  requests.patient = true;
  try {
    return await discover(requests, name, options);
  } finally {
    requests.patient = false;
  }
}

async function discover(requests: SnmpRequests, name: string, options: DiscoverOptions): Promise<PduPlan> {
  const [description, objectId, uptime] = await requests.get([SYS_DESCR, SYS_OBJECT_ID, SYS_UP_TIME]);
  const device: Device = {
    description: rawDescription(description?.value),
    objectId: normalOid(rawText(objectId?.value) ?? ''),
    uptime: rawNumber(uptime?.value),
  };
  const { likely, rest } = catalogueOrder(device.objectId);
  for (const catalogues of [likely, rest]) {
    for (const { catalogue, modules } of await answering(requests, catalogues, options)) {
      const found = await findParts(requests, name, catalogue, modules);
      if (found.cells.length > 0) return planOf(requests, catalogue, modules, found, device);
    }
  }
  throw new SnmpError('not_a_pdu', requests.session.peer, unknownDevice(device.objectId, device.description));
}

interface Device {
  readonly description: string;
  readonly objectId: string;
  readonly uptime: number | null;
}

interface Answering {
  readonly catalogue: PduCatalogue;
  readonly modules: readonly PduModule[];
}

function rawDescription(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : '';
}

/** The modules of these catalogues that the device answers, asked for all at once. */
async function answering(
  requests: SnmpRequests,
  catalogues: readonly PduCatalogue[],
  options: DiscoverOptions,
): Promise<Answering[]> {
  const wanted = catalogues.flatMap((catalogue) =>
    catalogue.modules
      .filter((module) => options.modules?.includes(module.name) ?? true)
      .map((module) => ({ catalogue, module })),
  );
  const probes = await requests.first(wanted.map(({ module }) => `${module.base}.${module.probe}`));
  const answers = wanted.filter((_, i) => probes[i] !== null && probes[i] !== undefined);
  return catalogues
    .map((catalogue) => ({
      catalogue,
      modules: answers.filter((answer) => answer.catalogue === catalogue).map(({ module }) => module),
    }))
    .filter(({ modules }) => modules.length > 0);
}

async function findParts(
  requests: SnmpRequests,
  name: string,
  catalogue: PduCatalogue,
  modules: readonly PduModule[],
): Promise<FoundParts> {
  const found = new FoundParts(name, modules[0]?.root ?? 'pdu');
  for (const module of modules) {
    const taken = found.types();
    for (const table of module.tables) {
      try {
        await addTable(requests, { catalogue, module, table, taken }, found);
      } catch (error) {
        // What was found already stays; the table is looked for again.
        if (!(error instanceof SnmpError) || error.fault !== 'timeout' || found.cells.length === 0) throw error;
        found.partial = true;
        found.warnings.push(`${table.name}: some answers were lost, so that it is not read`);
      }
    }
  }
  return found;
}

async function planOf(
  requests: SnmpRequests,
  catalogue: PduCatalogue,
  modules: readonly PduModule[],
  found: FoundParts,
  { description, objectId, uptime }: Device,
): Promise<PduPlan> {
  const read = await readIdentity(requests, modules);
  const token = (field: 'model' | 'serial' | 'firmware') => {
    const name = catalogue.description_tokens[field];
    return read[field] ?? (name === undefined ? null : descriptionToken(description, name));
  };
  const named = catalogue.generic === true ? (read.vendor ?? vendorOf(objectId)) : null;
  return {
    identity: {
      vendor: named ?? catalogue.vendor,
      model: token('model'),
      serial: token('serial'),
      firmware: token('firmware'),
    },
    partial: found.partial,
    absent: catalogue.absent,
    parts: found.all(),
    cells: found.cells,
    traps: catalogue.traps ?? [],
    warnings: found.warnings,
    uptime,
  };
}

const FIELDS = ['vendor', 'model', 'serial', 'firmware'] as const;

/** The first answer of the modules, in order. */
async function readIdentity(requests: SnmpRequests, modules: readonly PduModule[]) {
  const result: Record<(typeof FIELDS)[number], string | null> = {
    vendor: null,
    model: null,
    serial: null,
    firmware: null,
  };
  for (const { base, identity } of modules) {
    const asked = FIELDS.flatMap((field) => {
      const oid = identity[field];
      return oid === undefined ? [] : [{ field, oid: `${base}.${oid}` }];
    });
    const firsts = await requests.first(asked.map(({ oid }) => oid));
    asked.forEach(({ field, oid }, i) => {
      const value = firsts[i];
      if (value && oidSuffix(oid, value.oid) !== null) result[field] ??= rawText(value.value);
    });
  }
  return result;
}
