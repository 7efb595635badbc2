// Names of parts and of what is read of them, made once: a poll needs the same few dozen several times over.

import { type Component, componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';

interface Names {
  readonly name: string;
  readonly keys: Map<string, string>;
}

const known = new WeakMap<Component, Names>();

/** "pdu_phase/pdu-b/1" */
export function nameOf(component: Component): string {
  return namesOf(component).name;
}

/** "pdu_phase/pdu-b/1#voltage", which is the key of its series as well. */
export function keyOf(component: Component, field: string): string {
  const { name, keys } = namesOf(component);
  let key = keys.get(field);
  if (key === undefined) {
    key = seriesKey(name, field);
    keys.set(field, key);
  }
  return key;
}

function namesOf(component: Component): Names {
  let names = known.get(component);
  if (names === undefined) {
    names = { name: componentText(component), keys: new Map() };
    known.set(component, names);
  }
  return names;
}
