// Shares that count scenarios: one is right where every seed of it was, so that seeds of one scenario are not taken for many.

import { wilson } from './accuracy.ts';

export interface ScenarioShare {
  readonly right: number;
  readonly of: number;
}

/** `right` says it of one run; a scenario without runs that count is left out. */
export function byScenario<R extends { readonly name: string }>(
  runs: readonly R[],
  right: (run: R) => boolean,
): ScenarioShare {
  const scenarios = [...Map.groupBy(runs, ({ name }) => name).values()];
  return { right: scenarios.filter((own) => own.every(right)).length, of: scenarios.length };
}

/** "127 of 207, 61 % (55 to 68)": the share with its 95 % Wilson interval. */
export function shareText({ right, of }: ScenarioShare): string {
  if (of === 0) return '–';
  const [low, high] = wilson(right, of);
  const percent = (share: number): string => (100 * share).toFixed(0);
  return `${right} of ${of}, ${percent(right / of)} % (${percent(low)} to ${percent(high)})`;
}
