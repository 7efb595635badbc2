// Lines that drivers print of their devices in words that never change, by catalog/device-lines.json.

import catalog from '#catalog/device-lines.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { ADDRESS, gpuAt, hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

type Place = 'nic' | 'gpu' | 'pcie' | 'host';

interface Row {
  readonly drivers: readonly string[];
  readonly words: readonly string[];
  readonly example: string;
  readonly message: string;
  readonly place: Place;
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

export const DEVICE_ROWS = catalog.rows as readonly Row[]; // held against kinds and severities by test/detection/text/kernel-device-rows.test.ts
/** Of which every line that a row takes has one. */
export const DEVICE_WORDS: readonly string[] = DEVICE_ROWS.flatMap(({ words }) => words);

/** dev_err(): "DRIVER ADDRESS: "; netdev_err(): "DRIVER ADDRESS NAME: ", or "(unnamed net_device) (uninitialized)". */
const HEAD = new RegExp(
  `^([\\w-]{1,32}) (${ADDRESS})(?: \\(unnamed net_device\\)(?: \\(\\w{1,20}\\))?| ([^\\s:/]{1,15}))?: `,
);
const FORMS = DEVICE_ROWS.map((row) => ({ row, form: new RegExp(`^${row.message}$`) }));
const ANY = FORMS.filter(({ row }) => row.drivers.includes('*'));
const BY_DRIVER = new Map(
  [...new Set(DEVICE_ROWS.flatMap(({ drivers }) => drivers))].map((driver) => [
    driver,
    [...FORMS.filter(({ row }) => row.drivers.includes(driver)), ...ANY],
  ]),
);

/** Of the sound function of a GPU another decoder knows what follows from the GPU. */
const SOUND: ReadonlySet<string> = new Set(['snd_hda_intel']);

export function deviceLine(text: string, context: KernelContext): Finding | null {
  const [head = '', driver = '', address = '', name] = HEAD.exec(text) ?? [];
  if (head === '' || SOUND.has(driver)) return null;
  const message = text.slice(head.length).trimEnd(); // no pattern has to try its blanks
  for (const { row, form } of BY_DRIVER.get(driver) ?? ANY) {
    const groups = form.exec(message)?.groups;
    if (groups === undefined && !form.test(message)) continue;
    const component = placed(row.place, address, name, context);
    if (component === null) return null;
    return {
      kind: row.kind,
      component,
      ...(row.severity === undefined ? {} : { severity: row.severity }),
      attributes: { driver, ...row.attributes, ...groups },
    };
  }
  return null;
}

function placed(place: Place, address: string, name: string | undefined, context: KernelContext): Component | null {
  if (place === 'host') return hostOf(context);
  if (place === 'gpu') return gpuAt(address, context);
  const id = canonicalPciAddress(address);
  const aliases = name === undefined || place !== 'nic' ? {} : { aliases: [evidenceText(name)] };
  return id === null ? null : { type: place, id, host: context.host, ...aliases };
}
