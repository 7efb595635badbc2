// Reliability as a document and as a table for people.

import type { Reliability } from '../reliability.ts';
import { percentText } from './quantity.ts';

/** `faultline/reliability/1`: shares and confidences 0 to 1, null where nothing was judged. */
export function reliabilityToDocument(reliability: Reliability): object {
  const { incidents, bins, kinds, undecided, calibrationError } = reliability;
  return {
    schema: 'faultline/reliability/1',
    incidents,
    calibration_error: calibrationError,
    bins: bins.map(({ meanConfidence, shareRight, ...rest }) => ({
      ...rest,
      mean_confidence: meanConfidence,
      share_right: shareRight,
    })),
    kinds,
    undecided,
  };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Without a newline at its end. */
export function renderReliability(reliability: Reliability): string {
  const { incidents, bins, kinds, undecided, calibrationError } = reliability;
  const tally = ({ right, wrong, none }: { right: number; wrong: number; none: number }) =>
    [right, wrong, none].map(String);
  const used = bins.filter(({ right, wrong, none }) => right + wrong + none > 0);
  const judged = bins.reduce((sum, { right, wrong }) => sum + right + wrong, 0);
  const distance =
    calibrationError === null
      ? 'none is judged yet: faultline verdict ID right|wrong'
      : `${percentText(calibrationError)} between what was said and what was so`;
  const head = `${incidents} ${incidents === 1 ? 'incident' : 'incidents'}, ${judged} judged; ${distance}`;
  if (incidents === 0) return head;
  return [
    head,
    '',
    ...table(
      ['sure', 'right', 'wrong', 'no verdict', 'share right'],
      used.map((bin) => [
        `${Math.round(bin.from * 100)}–${Math.round(bin.to * 100)} %`,
        ...tally(bin),
        bin.shareRight === null ? '' : percentText(bin.shareRight),
      ]),
    ),
    '',
    ...table(
      ['root', 'right', 'wrong', 'no verdict', 'really'],
      [
        ...kinds.map((row) => [row.kind, ...tally(row), Object.keys(row.really).sort().join(', ')]),
        ['no root cause yet', ...tally(undecided), ''],
      ],
    ),
  ].join('\n');
}
