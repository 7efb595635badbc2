// Linger: the answer to a request that is refused before all of it came.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is read and thrown away of a request that was refused: whoever looks for an answer only after sending finds it. */
const LINGER_BYTES = 8 * 1024 * 1024;
const LINGER_MS = 1000;

/** Closed over what was not read, the connection would be reset and the answer lost with it: some more is read, and thrown away. */
export function linger(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  let left = LINGER_BYTES;
  const over = (): void => {
    clearTimeout(timer);
    response.end();
    request.off('data', pass);
    request.destroy();
  };
  const pass = (part: Buffer): void => {
    left -= part.length;
    if (left < 0) request.pause();
  };
  const timer = setTimeout(over, LINGER_MS);
  request.once('end', () => response.end()).once('close', over);
  response.write(body);
  request.on('data', pass).resume();
}
