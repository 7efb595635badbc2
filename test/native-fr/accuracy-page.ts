// Writes docs/accuracy-flight-recorder.md: generated jobs with known truth through our analysis and PyTorch's own.
// usage: node test/native-fr/accuracy-page.ts [SEEDS]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installationRoot } from '../../src/native.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { type Score, scoreOf, writeCase } from './accuracy.ts';
import { type CaseKind, KINDS, makeCase } from './generator/cases.ts';
import { OUTCOMES, type Outcome, outcomeOf, PYTHON, Torchfrtrace } from './torchfrtrace.ts';

const SEEDS = Number(process.argv[2] ?? 20);
const SMALL: readonly CaseKind[] = ['healthy', 'busy', 'not_joined', 'silent_rank', 'mismatch_size', 'late_completer', 'p2p_unpaired', 'watchdog']; // biome-ignore format: one line
const LARGE: readonly CaseKind[] = ['not_joined', 'cascade', 'mismatch_dtype', 'late_completer'];
/** Ranks, seeds, kinds of fault, and whether PyTorch's analyser gets them too. */
const SIZES: readonly (readonly [number, number, readonly CaseKind[], boolean])[] = [
  [2, SEEDS, SMALL, true],
  [4, SEEDS, SMALL, true],
  [64, 5, SMALL, true],
  [256, 2, LARGE, true],
  [1024, 2, LARGE, false],
  [10_240, 1, ['cascade', 'late_completer'], false],
];

interface Counts {
  readonly ours: Record<Score, number>;
  readonly theirs: Record<Outcome, number>;
}

const torch = Torchfrtrace.present() ? new Torchfrtrace() : null;

async function play(kinds: readonly CaseKind[], seeds: number, size: number, both: boolean): Promise<Counts> {
  const ours = { right: 0, undecided: 0, wrong: 0 };
  const theirs = { right: 0, 'among others': 0, 'no rank': 0, wrong: 0, 'no answer': 0 };
  for (const kind of kinds) {
    for (let seed = 0; seed < seeds; seed += 1) {
      const made = makeCase(kind, seed, size);
      const folder = mkdtempSync(join(tmpdir(), 'fl-fr-'));
      try {
        writeCase(made, folder);
        ours[scoreOf(made, await analyseFlightRecorder([folder]))] += 1;
        if (both && torch) theirs[outcomeOf(await torch.analyse(folder), made.culprits)] += 1;
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  }
  return { ours, theirs };
}

const row = (name: string, { ours, theirs }: Counts, both: boolean): string => {
  const right = both && torch ? OUTCOMES.map((each) => theirs[each]) : OUTCOMES.map(() => '–');
  return `| ${[name, ours.right, ours.undecided, ours.wrong, ...right].join(' | ')} |`;
};
const head = (first: string): string[] => [
  `| ${first} | right | undecided | wrong | torchfrtrace: ${OUTCOMES.join(' | ')} |`,
  `|---${'|---:'.repeat(3 + OUTCOMES.length)}|`,
];
const sum = (all: readonly Counts[]): Counts => {
  const add = <Key extends string>(of: (counts: Counts) => Record<Key, number>, keys: readonly Key[]) =>
    Object.fromEntries(keys.map((key) => [key, all.reduce((total, each) => total + of(each)[key], 0)])) as Record<
      Key,
      number
    >; // all keys are given
  return {
    ours: add((each) => each.ours, ['right', 'undecided', 'wrong']),
    theirs: add((each) => each.theirs, OUTCOMES),
  };
};

const byKind: string[] = [];
const all: Counts[] = [];
for (const kind of KINDS) {
  const counts = await play([kind], SEEDS, 16, true);
  all.push(counts);
  byKind.push(row(kind, counts, true));
  process.stderr.write(`${byKind.at(-1)}\n`);
}
byKind.push(row('**all**', sum(all), true));
const bySize: string[] = [];
for (const [size, seeds, kinds, both] of SIZES) {
  const counts = await play(kinds, seeds, size, both);
  bySize.push(row(`${size.toLocaleString('en')} (${kinds.length} faults × ${seeds})`, counts, both));
  process.stderr.write(`${bySize.at(-1)}\n`);
}
torch?.end();
const version = torch
  ? spawnSync(PYTHON, ['-c', 'import torch; print(torch.__version__)']).stdout.toString().trim()
  : '';
const page = `# Accuracy on flight-recorder dumps

Written by \`scripts/accuracy-flight-recorder\`; not edited by hand. Jobs are generated with one fault each and their truth;
generator and analysis are of the same makers, so these figures say that the analysis does what it was built for, not how
often it is right on jobs that its makers did not foresee. Dumps of real jobs are read in \`test/conformance\` and \`test/pytorch\`.

**What counts.** Of ours: right is exactly the right ranks and the right type of verdict; undecided names no rank though
one is at fault; everything else is wrong. Of PyTorch's own analyser (torchfrtrace${version === '' ? ', not run for this page' : ` of PyTorch ${version}`}) the type is not asked for:
right is a first report, or all of its reports together, that name exactly the right ranks as missing or culprit; *among
others* names them and ranks that did nothing wrong; *no answer* is an exception (a dump that is not there and is not
excused by \`--allow-incomplete-ranks\`, versions that differ, an operation that it does not expect). Of a job in which
no rank is at fault, right is to name none. Both get the same files.

## By fault, 16 ranks, ${SEEDS} seeds each
Tensor, data and pipeline groups; formats 2.4 to 2.10; with and without start events, stacks, finished entries; a ring of 40
entries in every third; hosts run ahead of their GPU, and their clocks are up to 40 ms apart (in \`clocks\` two hours).

${head('fault').join('\n')}
${byKind.join('\n')}

| fault | is |
|---|---|
| healthy, uneven | a job that ended well; with all_to_all of different sizes |
| busy | a running job, dumped on the way, its ranks one after the other |
| not_joined, cascade, nested, coalesced, uneven_stop | a host stops before a collective: of the world, of a group whose stall continues to the others, of a pair inside a group, of a coalesced launch, of an uneven all_to_all |
| silent_rank, missing_dumps | the culprit left no dump; two others left none |
| mismatch_operation, _size, _dtype, order, coalesced_mismatch | another operation, size or type; two operations swapped; another member of a coalesced launch |
| lock_order | a rank enters two groups the other way round |
| late_completer, fabric, stream_blocked | a GPU never ends what its peers ended; no GPU ends it; a GPU never starts it |
| p2p_unpaired, p2p_in_world, p2p_skipped | a receiver stops; the same in the world's group; one side leaves one out and continues |
| two_faults | two hosts stop in different groups |
| watchdog | a cascade dumped at the timeout, after operations were given up, or after the abort marked them completed |
| clocks, restarted, same_name, mixed_versions | a cascade with clocks hours apart; after a restart in place; where all groups of a kind have one name; with four formats in one job |

## By size
${head('ranks').join('\n')}
${bySize.join('\n')}
`;
writeFileSync(join(installationRoot(), 'docs', 'accuracy-flight-recorder.md'), page);
