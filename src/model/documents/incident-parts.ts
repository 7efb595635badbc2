// Incident parts: a revision that says too much for one line, as several documents; what does not fit is in parts before it.
//
// The last document is the incident itself, with every field, and `parts` says how many stand before it. Of its lists it has the
// beginnings; each part continues them, in order. Whoever reads the last document alone has a valid incident.

export const PART_SCHEMA = 'faultline/incident_part/1';

type Document = Readonly<Record<string, unknown>>;

/** What a script asks for first; lists that are not named here come after these. */
const FIRST = ['chain', 'impact', 'confidence_parts', 'alternatives', 'ruled_out', 'evidence'];
const DELTA = 'delta.';
/** `"name":[],` around the items of a list, and `"delta":{},` around those of the delta. */
const AROUND_LIST = 6;
const AROUND_DELTA = 11;

interface List {
  /** "chain", "delta.chain". */
  readonly name: string;
  readonly items: readonly unknown[];
}

/** `most`: bytes of a document; one item that is larger is a part of its own. `bytesOf`: of a value as it is written. */
export function inParts(document: Document, most: number, bytesOf: (value: unknown) => number): readonly Document[] {
  if (bytesOf(document) <= most) return [document];
  const lists = listsOf(document);
  const bare = { ...withLists(document, lists.map(({ name }) => ({ name, items: [] }))), parts: 1000 }; // biome-ignore format: one line
  let room = most - bytesOf(bare);
  const rest: (readonly [string, unknown, number])[] = [];
  const kept = lists.map(({ name, items }): List => {
    const sizes = items.map((item) => bytesOf(item) + 1);
    let count = 0;
    while (count < items.length && (sizes[count] ?? 0) <= room) {
      room -= sizes[count] ?? 0;
      count += 1;
    }
    for (let i = count; i < items.length; i += 1) rest.push([name, items[i], sizes[i] ?? 0]);
    return { name, items: items.slice(0, count) };
  });
  const { id, host, revision } = document;
  const parts = filled(rest, most - bytesOf({ schema: PART_SCHEMA, id, host, revision, part: 1000 }) - AROUND_DELTA);
  const documents = parts.map((of, i) => withLists({ schema: PART_SCHEMA, id, host, revision, part: i + 1 }, of));
  return [...documents, { ...withLists(document, kept), parts: documents.length }];
}

/** Lists for each part, in order. */
function filled(rest: readonly (readonly [string, unknown, number])[], most: number): readonly List[][] {
  const parts: Map<string, unknown[]>[] = [];
  let room = 0;
  for (const [name, item, bytes] of rest) {
    const around = (has: boolean): number => (has ? 0 : name.length + AROUND_LIST);
    const last = parts.at(-1);
    if (last === undefined || bytes + around(last.has(name)) > room) {
      parts.push(new Map([[name, [item]]]));
      room = most - bytes - around(false);
      continue;
    }
    room -= bytes + around(last.has(name));
    last.set(name, [...(last.get(name) ?? []), item]);
  }
  return parts.map((lists) => [...lists].map(([name, items]) => ({ name, items })));
}

/** The revision as one document again. Parts of another revision are left out; without its own it is what it says by itself. */
export function withParts(document: Document, parts: readonly Document[]): Document {
  const own = parts.filter(
    ({ schema, id, revision }) => schema === PART_SCHEMA && id === document.id && revision === document.revision,
  );
  if (own.length === 0) return document;
  const all = new Map(listsOf(document).map(({ name, items }) => [name, [...items]]));
  for (const part of own)
    for (const { name, items } of listsOf(part)) all.set(name, [...(all.get(name) ?? []), ...items]);
  const { parts: _parts, ...rest } = document;
  return withLists(rest, [...all].map(([name, items]) => ({ name, items }))); // biome-ignore format: one line
}

function listsOf(document: Document): List[] {
  const delta = isObject(document.delta) ? document.delta : {};
  const own = Object.entries(document).sort(([a], [b]) => placeOf(a) - placeOf(b));
  const inner = Object.entries(delta).map(([name, value]) => [`${DELTA}${name}`, value] as const);
  return [...own, ...inner].flatMap(([name, value]) => (Array.isArray(value) ? { name, items: value } : []));
}

function placeOf(name: string): number {
  const place = FIRST.indexOf(name);
  return place < 0 ? FIRST.length : place;
}

function withLists(document: Document, lists: readonly List[]): Document {
  const own = lists.filter(({ name }) => !name.startsWith(DELTA));
  const inner = lists.filter(({ name }) => name.startsWith(DELTA));
  const fields = Object.fromEntries(own.map(({ name, items }) => [name, items]));
  if (inner.length === 0) return { ...document, ...fields };
  const delta = Object.fromEntries(inner.map(({ name, items }) => [name.slice(DELTA.length), items]));
  return { ...document, ...fields, delta: { ...(isObject(document.delta) ? document.delta : {}), ...delta } };
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
