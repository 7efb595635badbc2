// Entries of OpenBMC's own log as its REST service gives them: objects by their path on the BMC's bus, what happened as the name of an error.
// Each becomes what the Redfish service would say of it.

import { at, listAt, textAt } from '../decode/json.ts';

/** Of the collection, and of one entry asked for by itself; openbmc-events prints the bare entry. */
const OBJECT = /"(?:\/xyz\/openbmc_project\/logging\/entry\/\d{1,9}|data)"\s{0,16}:\s{0,16}(?=\{)|^(?=\{)/gm;
const ERROR_NAME = /"(?:xyz\.openbmc_project|org\.open_power|com\.ibm)\.[\w.]{3,120}"/;
const LEVEL = /"xyz\.openbmc_project\.Logging\.Entry\.Level\./;
/** What is written for the record: "xyz.openbmc_project.Logging.Entry.Level.Informational". */
const NO_FAULT = /\.(?:Informational|Notice|Debug)$/;
/** "CALLOUT_INVENTORY_PATH=/xyz/openbmc_project/inventory/system/chassis/motherboard/powersupply0" */
const CALLOUT = /^CALLOUT_(?:INVENTORY_PATH|DEVICE_PATH)=.{0,200}\/([\w.-]{1,64})$/;

export function isDbusLog(head: string): boolean {
  return ERROR_NAME.test(head) && LEVEL.test(head);
}

/** Where in the text the objects begin that may be entries. */
export function dbusObjects(text: string): number[] {
  return [...text.matchAll(OBJECT)].map(({ index, 0: name }) => index + name.length);
}

/** As a Redfish service would give it; null where it is none, was resolved, or reports no fault. */
export function dbusBody(entry: unknown): object | null {
  const [name, time, id] = [textAt(entry, 'Message'), at(entry, 'Timestamp'), at(entry, 'Id')];
  const severity = textAt(entry, 'Severity') ?? '';
  const resolved = at(entry, 'Resolved');
  if (name === null || typeof time !== 'number' || !isDate(time)) return null;
  if (NO_FAULT.test(severity) || resolved === true || resolved === 1) return null;
  return {
    Id: String(id ?? ''),
    Created: new Date(time).toISOString(),
    Severity: severity,
    Message: name,
    MessageArgs: listAt(entry, 'AdditionalData').flatMap((more) => CALLOUT.exec(String(more))?.[1] ?? []),
  };
}

/** Epoch ms that `Date` has. */
function isDate(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0 && ms <= 8.64e15;
}
