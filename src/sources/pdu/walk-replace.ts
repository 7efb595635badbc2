// Replaces what is private in a saved walk: serials, names, addresses, contacts, communities. What a decoder needs
// stays: object identifiers, numbers, and words that every PDU has. Pure.

import { isIP } from 'node:net';

const SYSTEM = '1.3.6.1.2.1.1';
const IP_ADDRESS = 64;
/** Bytes of an OCTET STRING that is a few bits and no address. */
const FEW_BYTES = 2;

/** Words that say what a row is and not whose it is. */
const WORDS = new Set(
  (
    'a b c n l ab bc ca ac dc in out input inlet output outlet phase line bank branch breaker circuit group section neutral ' +
    'infeed feed tower unit cord master link main total pdu rack rpdu ups ats switch power supply source sensor temp temperature ' +
    'humidity voltage current frequency load active apparent energy factor on off ok normal none unknown not applicable available ' +
    'single three split wye delta battery bypass inverter metered switched monitored managed receptacle iec nema schuko outletgroup'
  ).split(' '),
);
const PLAIN = /^(?:\d{1,3}|[a-z]{1,2}\d{0,2}|\d{1,4}(?:k?va?|k?w|a|hz|wh))$/i;
const VERSION = /^v?\d{1,3}(?:\.\d{1,5}){1,4}[a-z]?\d{0,3}$/i;
/** "SN: 5A0000E00001", "S/N=…" */
const SERIAL = /\b(S\/?N|serial)([:= ]+)(\S+)/gi;

export interface Replaced {
  readonly value: Buffer | string | number | bigint;
  readonly replaced: boolean;
}

/** `kept`: words of the description, which stay where they are the whole value (a model). */
export function replaceText(oid: string, type: number | undefined, bytes: Buffer, kept: ReadonlySet<string>): Replaced {
  if (oid === `${SYSTEM}.4.0` || oid === `${SYSTEM}.5.0` || oid === `${SYSTEM}.6.0`) {
    return { value: Buffer.from('replaced'), replaced: true };
  }
  if (type === IP_ADDRESS) return { value: '0.0.0.0', replaced: true };
  const text = bytes.toString('latin1');
  if (!/^[\x20-\x7e]*$/.test(text)) {
    const few = bytes.length <= FEW_BYTES;
    return { value: few ? bytes : Buffer.alloc(bytes.length), replaced: !few };
  }
  if (oid === `${SYSTEM}.1.0`) {
    const described = replaceDescription(text);
    return { value: Buffer.from(described), replaced: described !== text };
  }
  if (text === '' || kept.has(text) || isPlain(text)) return { value: bytes, replaced: false };
  return { value: Buffer.from(masked(text)), replaced: true };
}

/** Model and firmware stay; a serial, an address and any long number do not. */
export function replaceDescription(text: string): string {
  return text
    .replace(SERIAL, (_, name: string, between: string, serial: string) => `${name}${between}${masked(serial)}`)
    .split(' ')
    .map((word) => (isAddress(word) || /\d{6}/.test(word) ? masked(word) : word))
    .join(' ');
}

/** Words of a replaced description that may name the model: they have a letter and a digit. */
export function modelWords(description: string): ReadonlySet<string> {
  const words = description.split(/[\s():;,]+/).filter((word) => /[a-z]/i.test(word) && /\d/.test(word));
  return new Set(words.filter((word) => word.length >= 4));
}

function isAddress(word: string): boolean {
  return isIP(word) !== 0 || /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(word) || word.includes('@');
}

function isPlain(text: string): boolean {
  if (isAddress(text)) return false;
  if (VERSION.test(text)) return true;
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.every((word) => WORDS.has(word.toLowerCase()) || PLAIN.test(word));
}

/** Of the same shape: "Rack 14" is "xxxx 00". */
function masked(text: string): string {
  return text.replace(/[a-z]/gi, 'x').replace(/\d/g, '0');
}

const LEAST_TEXT = 4;

/** A table may be indexed by a name: its length, then its letters. Such a row is left out whole. */
export function hasNameInIndex(oid: string): boolean {
  const numbers = oid.split('.').map(Number);
  return numbers.some((length, at) => {
    const text = numbers.slice(at + 1);
    return length >= LEAST_TEXT && text.length === length && text.every((n) => n >= 45 && n <= 122);
  });
}
