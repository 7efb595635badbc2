// Writes inputs that the fuzzer starts from: dumps of generated jobs with one fault each, four to an input.
// usage: node test/native-fr/fuzz-seeds.ts FOLDER

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS, makeCase } from './generator/cases.ts';

/** The form of native/fuzz/flight_recorder.cc: each dump but the last behind its length in two bytes. */
function framed(dumps: readonly Buffer[]): Buffer {
  return Buffer.concat(
    dumps.flatMap((dump, index) => (index < 3 ? [Buffer.from([dump.length & 255, dump.length >> 8]), dump] : [dump])),
  );
}

const folder = process.argv[2] ?? '.';
mkdirSync(folder, { recursive: true });
for (const kind of KINDS) {
  for (const seed of [0, 1]) {
    const dumps = makeCase(kind, seed, 8).files.map(({ bytes }) => bytes);
    const short = dumps.filter(({ length }) => length < 65_536).slice(0, 4);
    writeFileSync(join(folder, `${kind}-${seed}`), framed(short));
  }
}
