// Progress of a long analysis: what, how far, how long still; one line on a terminal, nothing elsewhere.

import type { FlightRecorderProgress } from '../../sources/flight-recorder/dumps/analyse.ts';

const EVERY_MS = 200;

export interface Shown {
  readonly start: (progress: () => FlightRecorderProgress) => void;
  readonly end: () => void;
}

export function showProgress(
  out: { isTTY?: boolean; write(text: string): unknown },
  now = () => performance.now(),
): Shown {
  let timer: NodeJS.Timeout | undefined;
  let written = false;
  return {
    start: (progress) => {
      if (!out.isTTY) return;
      const begun = now();
      timer = setInterval(() => {
        out.write(`\r${progressText(progress(), now() - begun)}\x1b[K`);
        written = true;
      }, EVERY_MS);
    },
    end: () => {
      clearInterval(timer);
      if (written) out.write('\r\x1b[K');
    },
  };
}

export function progressText({ files, done, bytes }: FlightRecorderProgress, elapsedMs: number): string {
  if (files === 0) return 'looking for dumps';
  if (done === files) return `joining ${files} dumps`;
  const left = done === 0 ? '' : `, ${Math.ceil((elapsedMs / done) * ((files - done) / 1000))} s left`;
  return `reading dump ${done} of ${files}, ${Math.round(bytes / 1e6)} MB${left}`;
}
