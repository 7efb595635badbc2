// Work: how many blocks of our own code a call runs, by V8's counters; the same on a busy machine as on a quiet one.

import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

// What a compiler made of a function counts nothing.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);

/** Of the files whose URL has one of `parts` in it; calls of what is built in count nothing. */
export async function workOf(parts: readonly string[], run: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await session.post('Profiler.takePreciseCoverage');
    run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    const ours = result.filter(({ url }) => parts.some((part) => url.includes(part)));
    if (ours.length === 0) throw new Error(`nothing of ${parts.join(', ')} was run`);
    return ours
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
