// Reads the body of a shipper's request: an array of records, one record, or one on each line, as Fluent Bit and Vector write them.

import { hasManyNames } from '../../helpers/many-names.ts';

/** Of one request. */
const MOST_RECORDS = 10_000;

/** What is wrong with it, as a sentence that says what to set, where it cannot be read. */
export function readRecords(body: string): Record<string, unknown>[] | string {
  const text = body.trim();
  if (text === '') return [];
  if (hasManyNames(text)) return 'more different names in one request than a logger writes. Send smaller batches';
  const whole = parsed(text);
  if (whole !== undefined) return recordsOf(Array.isArray(whole) ? whole : [whole]);
  const lines = text.split('\n', MOST_RECORDS + 1).filter((line) => line.trim() !== '');
  const each = lines.map(parsed);
  const broken = each.indexOf(undefined);
  if (broken < 0) return recordsOf(each);
  const where = lines.length === 1 ? '' : ` (line ${broken + 1})`;
  return `the body is not JSON${where}. Fluent Bit: set Format json or json_lines; Vector: encoding.codec json`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function recordsOf(values: readonly unknown[]): Record<string, unknown>[] | string {
  if (values.length > MOST_RECORDS) return `more than ${MOST_RECORDS} records in one request. Send smaller batches`;
  const records = values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  if (records.length < values.length) return 'a record is not an object of names and values';
  return records as Record<string, unknown>[]; // each is an object
}
