// Lines of a file with a bound on each: what is longer is passed over, never kept whole.

import type { CheckedFile } from '../files/checked-file.ts';

const CHUNK_BYTES = 65_536;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

/** Gives each line without its end, null for one of more than `maxBytes`; a last line without an end counts too. */
export async function* boundedLines(file: CheckedFile, maxBytes: number): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer): string | null => {
    const whole = length + last.length > maxBytes ? null : Buffer.concat([...parts, last]).toString('utf8');
    parts = [];
    length = 0;
    return whole === null ? null : whole.replace(/\r$/, '');
  };
  let position = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    position += bytesRead;
    if (chunk.equals(ZEROS.subarray(0, bytesRead))) {
      // A hole, as of a disk that failed: its line is lost, and terabytes of it take no time.
      const data = await file.nextData(position);
      length = maxBytes + 1; // no line of ours holds so many NULs
      parts = [];
      if (data === null) break;
      position = Math.max(position, data);
      continue;
    }
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield take(chunk.subarray(from, end));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxBytes) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  if (length > 0) yield take(Buffer.alloc(0));
}
