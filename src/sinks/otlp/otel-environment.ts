// Reads OpenTelemetry's environment variables: only the ones listed here, only where they are not empty.

import type { Surroundings } from '../../config/directories.ts';
import type { Findings } from '../../config/findings.ts';
import type { OtlpTarget } from './settings.ts';

export type Signal = 'metrics' | 'logs' | 'traces';

/** The variables of one signal: OTEL_EXPORTER_OTLP_<SIGNAL>_<NAME>, else OTEL_EXPORTER_OTLP_<NAME>. */
export class OtelEnvironment {
  readonly #environment: Surroundings['environment'];
  readonly #findings: Findings;

  constructor(environment: Surroundings['environment'], findings: Findings) {
    this.#environment = environment;
    this.#findings = findings;
  }

  /** An empty variable counts as unset, as the specification says. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === '' || value === undefined || value.length > 8192 ? undefined : value;
  }

  /** True only for "true", in any case. */
  flag(name: string): boolean {
    return this.text(name)?.toLowerCase() === 'true';
  }

  own(signal: Signal, name: string): string | undefined {
    return this.text(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`);
  }

  common(name: string): string | undefined {
    return this.text(`OTEL_EXPORTER_OTLP_${name}`);
  }

  protocol(signal: Signal): OtlpTarget['protocol'] | undefined {
    return this.#choice(['grpc', 'http/protobuf'], signal, 'PROTOCOL');
  }

  compression(signal: Signal): OtlpTarget['compression'] | undefined {
    return this.#choice(['none', 'gzip'], signal, 'COMPRESSION');
  }

  timeoutMs(signal: Signal): number | undefined {
    const name = this.own(signal, 'TIMEOUT') === undefined ? 'TIMEOUT' : `${signal.toUpperCase()}_TIMEOUT`;
    return this.milliseconds(`OTEL_EXPORTER_OTLP_${name}`, 100, 300_000);
  }

  /** Milliseconds held between `least` and `most`; a value that is not a number is reported and does not count. */
  milliseconds(name: string, least: number, most: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^\d{1,12}$/.test(value)) return Math.min(Math.max(Number(value), least), most);
    this.ignored(name, 'a number of milliseconds');
    return undefined;
  }

  /** False where OTEL_<SIGNAL>_EXPORTER names exporters and otlp is none of them. */
  exports(signal: Signal): boolean {
    const exporters = this.text(`OTEL_${signal.toUpperCase()}_EXPORTER`)?.split(',');
    return exporters === undefined || exporters.some((exporter) => exporter.trim() === 'otlp');
  }

  /** Share of traces that the sampler lets through; an incident has no parent, so parentbased_ changes nothing. */
  traceRatio(): number | undefined {
    const sampler = this.text('OTEL_TRACES_SAMPLER')?.replace(/^parentbased_/, '');
    if (sampler === undefined) return undefined;
    if (sampler === 'always_on') return 1;
    if (sampler === 'always_off') return 0;
    if (sampler !== 'traceidratio') {
      this.ignored('OTEL_TRACES_SAMPLER', 'always_on, always_off or traceidratio');
      return undefined;
    }
    const argument = this.text('OTEL_TRACES_SAMPLER_ARG');
    const ratio = Number(argument ?? 1);
    if (ratio >= 0 && ratio <= 1) return ratio;
    this.ignored('OTEL_TRACES_SAMPLER_ARG', 'a share from 0 to 1');
    return 1;
  }

  /** FL1113: a variable that cannot be used; its value may be a secret and is not shown. */
  ignored(name: string, wanted: string): void {
    this.#findings.warning('FL1113', '/otlp', `does not use the variable ${name}, which must be ${wanted}`);
  }

  #choice<T extends string>(words: readonly T[], signal: Signal, name: string): T | undefined {
    const value = this.own(signal, name) ?? this.common(name);
    const word = words.find((each) => each === value);
    if (value !== undefined && word === undefined) {
      const variable = this.own(signal, name) === undefined ? name : `${signal.toUpperCase()}_${name}`;
      this.ignored(`OTEL_EXPORTER_OTLP_${variable}`, words.join(' or '));
    }
    return word;
  }
}
