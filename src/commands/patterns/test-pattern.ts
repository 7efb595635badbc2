// Tests a site's own pattern: each example of its file is played, and what came of it is held against what it must be.

import { dirname } from 'node:path';
import { useUserPatterns } from '../../correlation/patterns/known-patterns.ts';
import { namedPattern } from '../../correlation/patterns/match.ts';
import type { Pattern } from '../../correlation/patterns/patterns.ts';
import { readPatternFolder } from '../../correlation/patterns/user/pattern-folder.ts';
import { type Example, readUserPattern } from '../../correlation/patterns/user/read-user-pattern.ts';
import type { CommandIo } from '../common/command-io.ts';
import { playExample } from './play-example.ts';

/** Exit status 1 where an example is something else than it must be. Throws ConfigError for a file that cannot be used. */
export async function testPattern(file: string, io: CommandIo): Promise<void> {
  // Others of the same folder may be what it only looks like.
  const { patterns } = await readPatternFolder(`${dirname(dirname(file))}/faultline.yaml`);
  const { pattern, examples } = readUserPattern(file, new Set(patterns.map((each) => each.pattern.id)));
  useUserPatterns([...patterns.map((each) => each.pattern).filter(({ id }) => id !== pattern.id), pattern]);
  const whole = pattern.advisory ? 'partial' : 'full';
  let failed = 0;
  for (const example of examples) {
    const wanted = wantedOf(example, pattern.id, whole);
    const got = gotOf(example, pattern.id);
    if (wanted.includes(got)) {
      io.stdout.write(`${example.name}: ${got}\n`);
      continue;
    }
    failed += 1;
    const place = example.line === null ? file : `${file}:${example.line}:${example.column ?? 1}`;
    io.stdout.write(`${place}: examples.${example.name} is ${got}; it must be ${wanted.join(' or ')}\n`);
  }
  const missing = ['partial', 'noisy', 'look_alike'].filter((name) => !examples.some((each) => each.name === name));
  if (missing.length > 0)
    io.stderr.write(`${pattern.id} has no example ${missing.join(', ')}: nothing shows what it is not\n`);
  if (examples.some((example) => example.name === 'look_alike' && !shows(example, pattern)))
    io.stderr.write(
      `${pattern.id}: look_alike shows nothing that the pattern begins with or needs, so that it looks like it in nothing\n`,
    );
  if (failed > 0) io.status(1);
  else io.stdout.write(`${pattern.id}: ${examples.length} of ${examples.length} examples are what they must be\n`);
}

function shows({ events }: Example, { root, requires, completes }: Pattern): boolean {
  const own = new Set([...root, ...[...requires, ...completes].flatMap(({ kinds }) => [...kinds])]);
  return events.some(([, kind]) => own.has(kind));
}

function wantedOf({ name, is }: Example, id: string, whole: string): readonly string[] {
  if (name === 'look_alike') return [`${is} full`, `${is} partial`];
  return [`${id} ${name === 'partial' ? 'partial' : whole}`];
}

function gotOf({ name, events }: Example, id: string): string {
  const incidents = playExample(events);
  const incident = incidents.find(({ pattern }) => name === 'look_alike' || pattern === id) ?? incidents[0];
  if (incident === undefined) return 'no incident';
  const match = namedPattern(incident);
  const chain = incident.chain.map(({ kind }) => kind).join(', ');
  return match === null
    ? `of no pattern (root ${incident.root.kind}, chain ${chain})`
    : `${match.pattern.id} ${match.confidence}`;
}
