// Runs generated jobs and counts right, wrong and undecided answers per fault; prints the table of the guide.
// usage: node test/native-fr/accuracy.ts [SEEDS] [RANKS]

import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { type Case, KINDS, makeCase } from './generator/cases.ts';

export function writeCase({ files }: Case, folder: string): void {
  for (const { name, bytes, modifiedMs } of files) {
    writeFileSync(join(folder, name), bytes);
    if (modifiedMs !== undefined) utimesSync(join(folder, name), modifiedMs / 1000, modifiedMs / 1000);
  }
}

export async function analyseCase(made: Case): Promise<FlightRecorderDocument> {
  const folder = mkdtempSync(join(tmpdir(), 'fl-fr-'));
  try {
    writeCase(made, folder);
    return await analyseFlightRecorder([folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export type Score = 'right' | 'undecided' | 'wrong';

/** Right: exactly these ranks and this type. Undecided: no rank is named though one should be. */
export function scoreOf(made: Case, document: FlightRecorderDocument): Score {
  const named = document.culprits.map((each) => each.rank);
  if (made.culprits.length > 0 && named.length === 0) return 'undecided';
  const same = named.join() === made.culprits.join();
  const types = [made.type, ...(made.alsoTypes ?? [])];
  return same && document.verdicts.some((each) => types.includes(each.type)) ? 'right' : 'wrong';
}

if (import.meta.main) {
  const [seeds, ranks] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 16)];
  process.stdout.write(`| fault | right | undecided | wrong |\n|---|---|---|---|\n`);
  for (const kind of KINDS) {
    const counts = { right: 0, undecided: 0, wrong: 0 };
    for (let seed = 0; seed < seeds; seed += 1) {
      const made = makeCase(kind, seed, ranks);
      const document = await analyseCase(made);
      const score = scoreOf(made, document);
      counts[score] += 1;
      if (score !== 'right' && process.env.VERBOSE) {
        const reported = document.verdicts.map(
          (each) => `${each.type} ${each.culprits} in ${each.group?.desc} ${each.sequence} p2p`,
        );
        process.stderr.write(`${kind} ${seed}: ${reported.join('; ')}, right: ${made.type} ${made.culprits}\n`);
      }
    }
    process.stdout.write(`| ${kind} | ${counts.right} | ${counts.undecided} | ${counts.wrong} |\n`);
  }
}
