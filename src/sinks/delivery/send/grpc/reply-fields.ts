// Reads the few fields of collectors' replies: partial success, and the pause that a google.rpc.RetryInfo asks for.

export interface ProtoField {
  readonly number: number;
  /** Of varint and fixed fields; precision above 2^53 is lost. */
  readonly value: number;
  readonly bytes: Uint8Array;
}

const NONE = new Uint8Array(0);
const MOST_FIELDS = 1000;

/** The fields of a protobuf message, in order; null when it is none. */
export function protoFields(message: Uint8Array): ProtoField[] | null {
  const fields: ProtoField[] = [];
  let at = 0;
  const varint = (): number | null => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at];
      if (byte === undefined) return null;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return null;
  };
  while (at < message.length) {
    if (fields.length === MOST_FIELDS) return null;
    const tag = varint();
    if (tag === null) return null;
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 0) {
      const value = varint();
      if (value === null) return null;
      fields.push({ number, value, bytes: NONE });
      continue;
    }
    const length = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? varint() : null;
    if (length === null || at + length > message.length) return null;
    const bytes = message.subarray(at, at + length);
    fields.push({ number, value: 0, bytes });
    at += length;
  }
  return fields;
}

/**
 * Rejected items and message of an Export…ServiceResponse: field 1 is partial_success, in it 1 is the rejected count and
 * 2 the message, for all three signals. An unreadable reply to a taken request counts as fully taken.
 */
export function partialSuccess(response: Uint8Array): { rejected: number; message: string } {
  const partial = protoFields(response)?.find((field) => field.number === 1)?.bytes ?? NONE;
  const fields = protoFields(partial) ?? [];
  const message = fields.find((field) => field.number === 2)?.bytes ?? NONE;
  return {
    rejected: fields.find((field) => field.number === 1)?.value ?? 0,
    message: new TextDecoder().decode(message.subarray(0, 1024)),
  };
}

/** Milliseconds that the RetryInfo in a google.rpc.Status asks to wait; null where it holds none. */
export function retryDelayMs(status: Uint8Array): number | null {
  for (const detail of protoFields(status)?.filter((field) => field.number === 3) ?? []) {
    const any = protoFields(detail.bytes) ?? [];
    const type = new TextDecoder().decode(any.find((field) => field.number === 1)?.bytes ?? NONE);
    if (!type.endsWith('/google.rpc.RetryInfo')) continue;
    const info = protoFields(any.find((field) => field.number === 2)?.bytes ?? NONE) ?? [];
    const delay = protoFields(info.find((field) => field.number === 1)?.bytes ?? NONE) ?? [];
    const of = (number: number) => delay.find((field) => field.number === number)?.value ?? 0;
    return of(1) * 1000 + of(2) / 1e6;
  }
  return null;
}
