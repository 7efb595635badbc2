// The section of the accuracy page on finished events: answers that no decoder had a part in, and kinds that nothing produces.

import { byScenario, shareText } from './by-scenario.ts';
import type { Answer, Run } from './measure.ts';

/** `produced`: kinds that some source, detector or decoder of the product can give. In Markdown. */
export function finishedSection(runs: readonly Run[], produced: ReadonlySet<string>): string {
  const rows = (['decoded', 'finished', 'unproduced'] as const).map((origin) => {
    const own = runs
      .map((run) => ({
        name: `${run.family}/${run.name}`,
        answers: run.answers.filter((one) => originOf(one, produced) === origin),
      }))
      .filter(({ answers }) => answers.length > 0);
    const answers = own.flatMap((run) => run.answers);
    const right = answers.filter(({ rootRight }) => rootRight).length;
    const share = byScenario(own, (run) => run.answers.every(({ rootRight }) => rootRight));
    return `| ${WORDS[origin]} | ${shareText(share)} | ${right} of ${answers.length} |`;
  });
  const kinds = [...new Set(runs.flatMap((run) => run.answers))]
    .filter((answer) => originOf(answer, produced) === 'unproduced')
    .map(({ kind }) => `\`${kind}\``);
  return `## What went through a decoder

Where a source exists, a scenario serves what the device would send and the real source reads it: NVML readings through the
detectors, SNMP objects, Redfish resources, files of sysfs, raw records of \`/dev/kmsg\`, bytes of logs. Where none exists,
and in older scenarios also elsewhere, the root comes in as a finished event: those answers test correlation alone and are counted apart.

| the true root came | scenarios, root right with every seed | answers |
|---|---|---|
${rows.join('\n')}

Kinds of such roots that nothing in the product gives yet: ${[...new Set(kinds)].sort().join(', ') || 'none'}.`;
}

type Origin = 'decoded' | 'finished' | 'unproduced';

const WORDS: Readonly<Record<Origin, string>> = {
  decoded: 'through a decoder or detector',
  finished: 'as a finished event of a kind that a source gives',
  unproduced: 'as a finished event of a kind that nothing in the product gives',
};

function originOf({ finished, kind }: Answer, produced: ReadonlySet<string>): Origin {
  if (!finished) return 'decoded';
  return produced.has(kind) ? 'finished' : 'unproduced';
}
