// Walks a device and gives its objects as snmpsim records: what is needed to add a model, without what is private.

import { SnmpRequests } from './request.ts';
import { SnmpSession, type SnmpValue } from './session.ts';
import type { PduSettings } from './settings.ts';
import { SnmpError } from './snmp-error.ts';
import { hasNameInIndex, modelWords, replaceDescription, replaceText } from './walk-replace.ts';

/** The system group, the standard MIB of UPSs, and every vendor's tree. */
const TREES = ['1.3.6.1.2.1.1', '1.3.6.1.2.1.33', '1.3.6.1.4.1'] as const;
const SYS_DESCR = '1.3.6.1.2.1.1.1.0';
const MOST_OBJECTS = 20_000;
const LONGEST_MS = 300_000;
const PROGRESS_EVERY = 500;
/** ASN.1 tags: INTEGER, OCTET STRING, NULL, OBJECT IDENTIFIER, IpAddress, Counter32 to Opaque, Counter64. */
const OCTETS = 4;
const NULL = 5;
const OID = 6;
const IP_ADDRESS = 64;
/** A walk that takes longer shows how far it is, also while nothing comes. */
const PROGRESS_MS = 2000;
const NUMBERS: ReadonlySet<number> = new Set([2, 65, 66, 67, 70]);

export interface Walk {
  /** snmpsim's `.snmprec`: OID|tag|value. */
  readonly text: string;
  readonly objects: number;
  readonly replaced: number;
  /** Why it ends early, null where it does not. */
  readonly cut: string | null;
}

/** Rejects with SnmpError where nothing was answered. The session is closed in every case. */
export async function walkPdu(
  config: PduSettings,
  now: () => number,
  options: { readonly onProgress?: (text: string) => void } = {},
): Promise<Walk> {
  const session = new SnmpSession(config, now);
  const requests = new SnmpRequests(session);
  const onProgress = options.onProgress ?? (() => undefined);
  const report = (): void => {
    const { answered, lost } = requests.counts;
    onProgress(`${session.peer.address}: walking, ${answered} answers${lost === 0 ? '' : `, ${lost} lost`}`);
  };
  const progress = setInterval(report, PROGRESS_MS);
  try {
    requests.patient = true;
    return await walkAll(requests, onProgress);
  } finally {
    clearInterval(progress);
    session.close();
  }
}

export async function walkAll(requests: SnmpRequests, onProgress: (text: string) => void): Promise<Walk> {
  const [description] = await requests.get([SYS_DESCR]);
  const kept = modelWords(replaceDescription(bytesOf(description?.value).toString('latin1')));
  const lines: string[] = [];
  let replaced = 0;
  let cut: string | null = null;
  const limit = performance.now() + LONGEST_MS;
  for (const tree of TREES) {
    if (cut !== null) break;
    try {
      for await (const values of requests.below(tree, Math.max(0, limit - performance.now()))) {
        for (const value of values) {
          if (hasNameInIndex(value.oid)) {
            replaced += 1;
            continue;
          }
          const record = recordOf(value, kept);
          lines.push(record.line);
          if (record.replaced) replaced += 1;
          if (lines.length % PROGRESS_EVERY === 0) onProgress(`${lines.length} objects, at ${value.oid}`);
        }
        if (lines.length >= MOST_OBJECTS) cut = `it has more than ${MOST_OBJECTS} objects`;
        if (cut !== null) break;
      }
    } catch (error) {
      // What was read so far is worth keeping: a device that stops halfway is one of those to add.
      if (!(error instanceof SnmpError) || lines.length === 0) throw error;
      cut = error.message;
    }
  }
  return { text: `${lines.join('\n')}\n`, objects: lines.length, replaced, cut };
}

function recordOf({ oid, type, value }: SnmpValue, kept: ReadonlySet<string>): { line: string; replaced: boolean } {
  if (value === null) return { line: `${oid}|${NULL}|`, replaced: false };
  if (type === OID || type === undefined) return { line: `${oid}|${type ?? OCTETS}|${textOf(value)}`, replaced: false };
  if (NUMBERS.has(type)) return { line: `${oid}|${type}|${numberOf(value)}`, replaced: false };
  if (type !== OCTETS && type !== IP_ADDRESS) return { line: `${oid}|${NULL}|`, replaced: true };
  const { value: shown, replaced } = replaceText(oid, type, bytesOf(value), kept);
  if (!Buffer.isBuffer(shown)) return { line: `${oid}|${type}|${shown}`, replaced };
  const plain = /^[\x20-\x7e]*$/.test(shown.toString('latin1'));
  return { line: plain ? `${oid}|4|${shown.toString('latin1')}` : `${oid}|4x|${shown.toString('hex')}`, replaced };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[^\d.]/g, '') : '';
}

function numberOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return Buffer.isBuffer(value) && value.length <= 9 && value.length > 0
    ? String(BigInt(`0x${value.toString('hex')}`))
    : '';
}
