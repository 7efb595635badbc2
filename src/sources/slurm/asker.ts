// Asker: whom the slurm source asks, by what is installed and configured: scontrol and squeue, or slurmrestd.

import type { OwnProcesses } from '../../identity/own-processes.ts';
import { SlurmPrograms } from './ask/programs.ts';
import type { ControllerQuestions, LocalQuestions } from './ask/questions.ts';
import { Slurmrestd } from './ask/rest.ts';
import { versionOf } from './ask/version.ts';
import type { Installation } from './find/installation.ts';
import type { RestSettings } from './settings.ts';

export class Asker {
  /** Null where nothing answers it. */
  readonly local: LocalQuestions | null;
  readonly controller: ControllerQuestions | null;
  /** As reports name what is asked about jobs. */
  readonly asked: string;
  readonly #programs: SlurmPrograms | null;

  constructor(
    { programs, conf }: Pick<Installation, 'programs' | 'conf'>,
    rest: RestSettings | null,
    { own, signal }: { readonly own: OwnProcesses; readonly signal: AbortSignal },
  ) {
    this.#programs = programs === null ? null : new SlurmPrograms({ folder: programs, conf, own, signal });
    this.local = this.#programs;
    this.controller = rest === null ? this.#programs : new Slurmrestd(rest, signal);
    this.asked = rest === null ? 'scontrol show job' : 'slurmrestd';
  }

  /** How often a program was started. */
  get started(): number {
    return this.#programs?.asked ?? 0;
  }

  /** "22.05.8"; null until a program was asked. */
  get release(): string | null {
    return this.#programs?.release ?? null;
  }

  get releaseNumber(): number | null {
    return versionOf(this.release ?? '')?.number ?? null;
  }

  /** The jobs that have the node: by squeue where it is there, as slurmrestd answers with the jobs of the whole cluster. */
  async jobsOf(node: string): Promise<readonly number[]> {
    return (await (this.#programs ?? this.controller)?.jobsOf(node)) ?? [];
  }
}
