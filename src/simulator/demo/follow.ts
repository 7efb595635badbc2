// Follows a stream of the daemon's local API: one JSON document a line.

import { request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 8 * 1024 * 1024;

/** Calls `onDocument` for each document until stopped or the daemon closes; `onEnd` hears why it ended by itself. */
export function follow(
  socketPath: string,
  path: string,
  onDocument: (document: unknown) => void,
  onEnd: (why: string) => void,
): () => void {
  let stopped = false;
  const end = (why: string) => {
    if (stopped) return;
    stopped = true;
    outgoing.destroy();
    onEnd(why);
  };
  const outgoing = request({ socketPath, path, agent: false }, (response) => {
    if (response.statusCode !== 200) return end(`${path} answers with status ${response.statusCode}`);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    response.on('data', (part: Buffer) => {
      const lines = (rest + decoder.write(part)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) return end(`${path} sent a line of more than ${MAX_LINE} characters`);
      for (const line of lines) {
        if (stopped || line === '') continue;
        try {
          onDocument(JSON.parse(line));
        } catch {
          return end(`${path} sent a line that is not JSON`);
        }
      }
    });
    response.on('error', (error) => end(`${path}: ${error.message}`));
    response.on('end', () => end(`${path} was closed`));
  });
  outgoing.on('error', (error) => end(`${path}: ${error.message}`));
  outgoing.end();
  return () => {
    stopped = true;
    outgoing.destroy();
  };
}
