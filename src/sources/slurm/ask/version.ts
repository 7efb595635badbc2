// The release of Slurm by what `--version` prints: "slurm 24.05.3", "slurm-wlm 22.05.8".

export interface Release {
  readonly text: string;
  /** Comparable: 2205 of 22.05. */
  readonly number: number;
}

export function versionOf(text: string): Release | null {
  const [found, year, month] = /\b(\d{2})\.(\d{2})(?:\.\d{1,3})?/.exec(text) ?? [];
  return found === undefined ? null : { text: found, number: Number(year) * 100 + Number(month) };
}
