// Part spelling: memory modules, supplies and fans that EDAC, firmware, SMBIOS and BMC spell differently are one part each.

import { type Component, type ComponentType, componentText } from '../model/component.ts';

const MAX_PARTS = 4096;

/** The controller that EDAC puts before its label: "MC0 CPU1 DIMM_D1". */
const CONTROLLER = /^MC(\d{1,5}) (.+)$/;
/** A label that names one module of the board, not a row of a controller or "any memory". */
const LABEL = /^(?!any|unknown|DIMM location)(?=.*[A-Za-z])(?=.*\d)/;
/** What only says what the part is, or where it sits. */
const WORDS: ReadonlyMap<ComponentType, RegExp> = new Map([
  ['dimm', /SOCKET|SLOT/g],
  ['psu', /POWERSUPPLY|PSU|PS|SUPPLY|SLOT|BAY|STATUS/g],
  ['fan', /^(?:SYS)?FAN|SPEED$/g],
]);
/** "P1-DIMMC1", "PROC 1 DIMM 4", "CPU1 DIMM_C1": the socket of the module, as vendors call it. */
const SOCKET = /^(?:PROCESSOR|PROC|P)(?=\d)/;
/** That it is a module goes without saying; between two numbers it keeps them apart. */
const MODULE = /(\d)?DIMM(?=(\d)?)/g;
/** Separators say nothing, except between two numbers: module 1-2 is not module 12. */
const SEPARATORS = /(?<!\d)[\s_.-]+|[\s_.-]+(?!\d|[\s_.-])/g;

interface Spelling {
  readonly key: string;
  readonly controller: string | null;
}

export class PartSpelling {
  /** How each part was spelled first. */
  readonly #known = new Map<string, { readonly component: Component; readonly controller: string | null }>();

  /** The part under the name that it was first known by; itself where it is new, or of another kind. */
  resolve(component: Component): Component {
    const spelling = spellingOf(component);
    if (spelling === null) return component;
    const { key, controller } = spelling;
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size < MAX_PARTS) this.#known.set(key, { component, controller });
      return component;
    }
    // Two controllers may each have a module of this label.
    const other = known.controller !== null && controller !== null && known.controller !== controller;
    return other || componentText(known.component) === componentText(component) ? component : known.component;
  }
}

/** What all spellings of one part have in common; null for what is not spelled by people. */
export function spellingOf({ type, id }: Component): Spelling | null {
  const words = WORDS.get(type);
  const slash = id.lastIndexOf('/');
  if (words === undefined || slash < 0) return null;
  const name = id.slice(slash + 1);
  const [, controller, label] = type === 'dimm' ? (CONTROLLER.exec(name) ?? []) : [];
  const named = label !== undefined && LABEL.test(label);
  const plain = (named ? label : name).replaceAll(SEPARATORS, '').toUpperCase();
  const short = type === 'dimm' ? shortModule(plain.replaceAll(words, '')) : plain.replaceAll(words, '');
  const key = `${type}/${id.slice(0, slash)}/${short === '' ? plain : short}`;
  return { key, controller: named ? (controller ?? null) : null };
}

function shortModule(name: string): string {
  const apart = (_: string, before?: string, after?: string): string =>
    `${before ?? ''}${before !== undefined && after !== undefined ? '-' : ''}`;
  return name.replace(SOCKET, 'CPU').replaceAll(MODULE, apart);
}
