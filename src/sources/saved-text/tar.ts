// Tar: the regular files in the stream of an archive, one after the other, each as a stream of its own; names are words and open nothing.

import { ByteReader } from './byte-reader.ts';
import type { Bytes } from './bytes.ts';
import type { ArchiveReport, Member } from './member.ts';

const BLOCK = 512;
/** A name is a path; what says it is longer is not read as one. */
const LONGEST_NAME = 8192;

/** Of what else an archive may hold, what is never made or followed. */
const OTHERS: Readonly<Record<string, 'link' | 'device'>> = {
  '1': 'link',
  '2': 'link',
  '3': 'device',
  '4': 'device',
  '6': 'device',
};

interface Header {
  readonly name: string;
  readonly size: number;
  readonly savedMs: number;
  readonly type: string;
}

/** ustar, GNU and pax. What of a member was not asked for is passed over. */
export async function* tarMembers(bytes: Bytes, report: ArchiveReport): AsyncGenerator<Member> {
  const reader = new ByteReader(bytes);
  let longName: string | null = null;
  try {
    for (;;) {
      const block = await reader.take(BLOCK);
      if (block.length === 0 || block.every((byte) => byte === 0)) return;
      const header = block.length === BLOCK ? headerOf(block) : null;
      if (header === null) return report.failed('the archive is damaged');
      const { size, type } = header;
      const padding = (BLOCK - (size % BLOCK)) % BLOCK;
      if (type === 'L' || type === 'x') {
        const text = (await reader.take(Math.min(size, LONGEST_NAME))).toString('utf8');
        await reader.skip(size - Math.min(size, LONGEST_NAME) + padding);
        longName = type === 'L' ? text.replace(/\0.*$/s, '') : (/^\d{1,5} path=([^\n]*)$/m.exec(text)?.[1] ?? longName);
        continue;
      }
      if (type === '0' || type === '\0' || type === '7') {
        const member = reader.part(size);
        yield { name: longName ?? header.name, savedMs: header.savedMs, bytes: member };
        for await (const _ of member); // whatever was left of it
        await reader.skip(padding);
      } else {
        const other = OTHERS[type];
        if (other !== undefined) report.left(other);
        await reader.skip(size + padding);
      }
      if (type !== 'g') longName = null;
    }
  } finally {
    await bytes.return();
  }
}

function headerOf(block: Buffer): Header | null {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i += 1) if (i < 148 || i >= 156) sum += block[i] ?? 0;
  if (sum !== octal(block, 148, 8)) return null;
  const size = (block[124] ?? 0) & 0x80 ? Number(block.readBigUInt64BE(128)) : octal(block, 124, 12);
  if (!Number.isSafeInteger(size) || size < 0) return null;
  const prefix = text(block, 345, 155);
  const name = text(block, 0, 100);
  return {
    name: block.toString('latin1', 257, 263) === 'ustar\0' && prefix !== '' ? `${prefix}/${name}` : name,
    size,
    savedMs: octal(block, 136, 12) * 1000,
    type: String.fromCharCode(block[156] ?? 0),
  };
}

function text(block: Buffer, from: number, length: number): string {
  return block.toString('utf8', from, from + length).replace(/\0.*$/s, '');
}

function octal(block: Buffer, from: number, length: number): number {
  return Number.parseInt(text(block, from, length).trim() || '0', 8);
}
