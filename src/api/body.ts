// Body: reads the JSON that a request carries, bounded in bytes; its time is bounded by the server.

import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

/** More than the longest note in any script of the world, as JSON escapes. */
export const MAX_BODY_BYTES = 8192;

/** The document that the body holds. Throws FL3401 for what is too long or no JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  // Not destroyed when it is left early: the refusal goes back over the same connection.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MAX_BODY_BYTES) {
      throw new ApiError(413, 'FL3401', `the body is longer than ${MAX_BODY_BYTES} bytes. Shorten the note`);
    }
    parts.push(bytes);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new ApiError(
      400,
      'FL3401',
      'the body is not JSON in UTF-8. Send one document as docs/guide/incidents.md shows',
    );
  }
}
