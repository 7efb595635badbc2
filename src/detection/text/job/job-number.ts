// Job number: which job of the scheduler a log is of, as its own lines name it.

/** Lines are short; of a longer one only the head is looked at. */
const MAX_LINE = 1024;
/** srun's, slurmd's and slurmstepd's words, and the variable as programs print it. */
const NUMBERED =
  /\bStepId=(\d{1,12}(?:_\d{1,7})?)(?:\.[\w+]{1,20})?\b|\*\*\* (?:JOB|STEP) (\d{1,12}(?:_\d{1,7})?)(?:\.[\w+]{1,20})? ON |\bSLURM_JOB(?:_)?ID[=:] ?"?(\d{1,12})\b/;
const HINT = /StepId=|\*\*\* |SLURM_JOB/;
/** What slurmd and slurmctld put before or into what they say of a job: "[48512.0] error: ", "JobId=48512 ". */
const OF_DAEMON =
  /^(?:\[[\d:T.+-]{19,40}\] {1,4})?\[(\d{1,12}(?:_\d{1,7})?)(?:\.[\w+]{1,24})?\] |\bJobI[dD]=(\d{1,12}(?:_\d{1,7})?)\b/;

/** Of a line in the log of a scheduler's daemon; null where it names none. */
export function jobOfLine(text: string): string | null {
  const head = text.slice(0, MAX_LINE);
  const found = NUMBERED.exec(head) ?? OF_DAEMON.exec(head);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

/** A log of more than one job is of none. */
const ENOUGH = 2;

export class JobNumber {
  readonly #numbers = new Set<string>();

  /** Takes a line of the log. */
  take(text: string): void {
    if (this.#numbers.size >= ENOUGH || !HINT.test(text)) return;
    const found = NUMBERED.exec(text.slice(0, MAX_LINE));
    const number = found?.[1] ?? found?.[2] ?? found?.[3];
    if (number !== undefined) this.#numbers.add(Buffer.from(number).toString());
  }

  /** The only one that is named; null where none is, or several are. */
  get only(): string | null {
    const [first = null] = this.#numbers;
    return this.#numbers.size === 1 ? first : null;
  }
}
