// Served model: which model the inference server of a log serves, as it says when it starts; what ends it later names none.

import type { EventInput } from '../../model/record.ts';
import { shortened } from '../../model/shortened.ts';

/** In a line that a server begins with: vLLM's configuration, SGLang's and TGI's arguments, TensorRT-LLM's command. */
const SAYS: readonly (readonly [word: string, form: RegExp])[] = [
  [
    'with config: ',
    /\bLLM engine \(v[^)]{1,40}\) with config: (?:\w{1,40}='[^']{0,80}', ){0,4}model='(?<model>[^']{1,200})'/,
  ],
  ['server_args=ServerArgs(', /server_args=ServerArgs\(.{0,400}?\bmodel_path='(?<model>[^']{1,200})'/],
  ['Args {', /\bArgs \{ ?model_id: "(?<model>[^"]{1,200})"/],
  ['served_model_name', /\bserved_model_name=(?:\[?')(?<model>[^']{1,200})'/],
  ['trtllm-serve ', /(?:^|[\s/])trtllm-serve (?:serve )?(?<model>[\w./-]{2,200})(?: |$)/],
];
const LONGEST = 120;

export class ServedModel {
  #model: string | null = null;
  #several = false;

  take(text: string): void {
    for (const [word, form] of SAYS) {
      if (!text.includes(word)) continue;
      const model = form.exec(text)?.groups?.model;
      if (model === undefined) continue;
      this.#several ||= this.#model !== null && this.#model !== model;
      this.#model = model;
    }
  }

  /** The event with the model; as it is where its line names one, or the log has several. */
  of(event: EventInput): EventInput {
    const isOfWork = event.source === 'job-log' && event.kind.startsWith('job.');
    if (!isOfWork || this.#model === null || this.#several || event.attributes?.model !== undefined) return event;
    return { ...event, attributes: { ...event.attributes, served_model: shortened(this.#model, LONGEST) } };
  }
}
