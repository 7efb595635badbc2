// Scan here: `faultline scan` in this process, with the bytes and the status of one that is started for it. Loading the program takes
// ten times as long as most scans, and tests scan some hundred times. ../scan.test.ts starts processes; scan-here.test.ts holds both to the same.

import { Writable } from 'node:stream';
import { type CommandIo, processIo } from '../../../src/commands/common/command-io.ts';
import { buildProgram } from '../../../src/commands/program.ts';
import { isDocument, shaper } from '../../../src/commands/terminal/output.ts';
import type { Outcome } from '../run-cli.ts';

const AS_IN_A_PIPE = { LC_ALL: 'C.UTF-8' };

/** `words`: options and paths, as behind `faultline scan`. */
export async function scan(words: readonly string[]): Promise<Outcome> {
  const line = ['scan', ...words];
  const shape = shaper({}, AS_IN_A_PIPE);
  const [out, err] = [new Taken(isDocument(line) ? (text) => text : shape), new Taken(shape)];
  let status = 0;
  const io: CommandIo = {
    ...processIo(),
    stdout: out,
    stderr: err,
    colour: false,
    status: (given) => {
      status = given;
    },
  };
  await buildProgram(() => io).parseAsync(['node', 'faultline', ...line]);
  return { status, stdout: out.text, stderr: err.text };
}

/** What was written to it. */
class Taken extends Writable {
  text = '';
  readonly #shape: (text: string) => string;

  constructor(shape: (text: string) => string) {
    super({ decodeStrings: false });
    this.#shape = shape;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += typeof chunk === 'string' ? this.#shape(chunk) : chunk.toString();
    done();
  }
}
