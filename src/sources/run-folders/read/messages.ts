// Messages: the few fields of TensorFlow's Event and of W&B's Record that hold numbers of a step (event.proto, summary.proto, wandb_internal.proto).

import protobuf from 'protobufjs/minimal.js';

/** Numbers of one step; time null where it does not say. */
export interface StepNumbers {
  readonly step: number;
  readonly wallMs: number | null;
  readonly numbers: readonly (readonly [name: string, value: number])[];
}

type Reader = protobuf.Reader;
type Take = (reader: Reader, wire: number) => boolean;

const MOST_VALUES = 512;
const MOST_NAME = 200;
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];

/** Calls `take` for each field; what it does not take is passed over. Throws for what is not protobuf. */
function fields(reader: Reader, take: (number: number, wire: number) => boolean): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!take(tag >>> 3, tag & 7)) reader.skipType(tag & 7);
  }
}

function inside(reader: Reader): Reader {
  return protobuf.Reader.create(reader.bytes());
}

/** Event: wall_time 1, step 2, summary 5. */
export function readEvent(bytes: Uint8Array): StepNumbers | null {
  let [step, seconds] = [0, 0];
  const numbers: [string, number][] = [];
  const reader = protobuf.Reader.create(bytes);
  fields(reader, (number, wire) => {
    if (number === 1 && wire === FIXED64) seconds = reader.double();
    else if (number === 2 && wire === VARINT) step = Number(reader.int64());
    else if (number === 5 && wire === BYTES) readSummary(inside(reader), numbers);
    else return false;
    return true;
  });
  return numbers.length === 0 ? null : { step, wallMs: seconds > 0 ? seconds * 1000 : null, numbers };
}

/** Summary: value 1 of tag 1, simple_value 2, tensor 8. */
function readSummary(reader: Reader, numbers: [string, number][]): void {
  fields(reader, (field, wire) => {
    if (field !== 1 || wire !== BYTES || numbers.length >= MOST_VALUES) return false;
    const value = inside(reader);
    let name = '';
    let number: number | null = null;
    const take: Take = (each, kind) => {
      if (kind !== BYTES) return false;
      name = each.string().slice(0, MOST_NAME);
      return true;
    };
    fields(value, (part, kind) => {
      if (part === 1) return take(value, kind);
      if (part === 2 && kind === FIXED32) number = value.float();
      else if (part === 8 && kind === BYTES) number = readTensor(inside(value));
      else return false;
      return true;
    });
    if (name !== '' && number !== null) numbers.push([name, number]);
    return true;
  });
}

const [FLOAT, DOUBLE] = [1, 2];

/** TensorProto of one number: dtype 1, tensor_content 4, float_val 5, double_val 6. */
function readTensor(reader: Reader): number | null {
  let type = 0;
  let content: Uint8Array | null = null;
  let plain: number | null = null;
  fields(reader, (field, wire) => {
    if (field === 1 && wire === VARINT) type = reader.uint32();
    else if (field === 4 && wire === BYTES) content = reader.bytes();
    else if (field === 5 && wire === BYTES) plain = firstOf(reader.bytes(), FLOAT);
    else if (field === 5 && wire === FIXED32) plain = reader.float();
    else if (field === 6 && wire === BYTES) plain = firstOf(reader.bytes(), DOUBLE);
    else if (field === 6 && wire === FIXED64) plain = reader.double();
    else return false;
    return true;
  });
  return plain ?? (content === null ? null : firstOf(content, type));
}

/** Null where there are more of them: it is not a scalar. */
function firstOf(bytes: Uint8Array, type: number): number | null {
  const buffer = Buffer.from(bytes);
  if (type === FLOAT && buffer.length === 4) return buffer.readFloatLE(0);
  return type === DOUBLE && buffer.length === 8 ? buffer.readDoubleLE(0) : null;
}

/** Record: history 2 of item 1 (key 1, nested_key 2, value_json 16) and step 2. */
export function readHistory(bytes: Uint8Array): StepNumbers | null {
  const record = protobuf.Reader.create(bytes);
  let found: StepNumbers | null = null;
  fields(record, (field, wire) => {
    if (field !== 2 || wire !== BYTES) return false;
    const history = inside(record);
    const row: Record<string, unknown> = {};
    fields(history, (part, kind) => {
      if (kind !== BYTES) return false;
      if (part === 1) readItem(inside(history), row);
      else if (part === 2) readStep(inside(history), row);
      else return false;
      return true;
    });
    found = rowNumbers(row);
    return true;
  });
  return found;
}

function readItem(reader: Reader, row: Record<string, unknown>): void {
  const names: string[] = [];
  let json = '';
  fields(reader, (field, wire) => {
    if (wire !== BYTES) return false;
    if (field === 1 || field === 2) names.push(reader.string());
    else if (field === 16) json = reader.string();
    else return false;
    return true;
  });
  const name = names.filter((each) => each !== '').join('.').slice(0, MOST_NAME); // biome-ignore format: one line
  if (name !== '' && Object.keys(row).length < MOST_VALUES) row[name] = scalar(json);
}

function readStep(reader: Reader, row: Record<string, unknown>): void {
  fields(reader, (field, wire) => {
    if (field !== 1 || wire !== VARINT) return false;
    const step = Number(reader.int64());
    row._step ??= step;
    return true;
  });
}

/** A row of W&B's history, as in its record or a line of wandb-history.jsonl. */
export function rowNumbers(row: Readonly<Record<string, unknown>>): StepNumbers | null {
  const { _step: step, _timestamp: seconds } = row;
  if (typeof step !== 'number' || !Number.isSafeInteger(step)) return null;
  const numbers = Object.entries(row).flatMap(([name, value]) => {
    const number = typeof value === 'string' ? WORDS.get(value) : value;
    return typeof number === 'number' && !name.startsWith('_') ? [[name.slice(0, MOST_NAME), number] as const] : [];
  });
  return { step, wallMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null, numbers };
}

/** As W&B writes what JSON has no number for. */
const WORDS: ReadonlyMap<string, number> = new Map([['NaN', Number.NaN], ['Infinity', Number.POSITIVE_INFINITY], ['-Infinity', Number.NEGATIVE_INFINITY]]); // biome-ignore format: a table

function scalar(json: string): unknown {
  if (json.length > 64) return undefined;
  if (WORDS.has(json)) return json;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
