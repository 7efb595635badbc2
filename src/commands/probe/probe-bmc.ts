// faultline probe bmc: reads one BMC once over Redfish and prints its readings.

import { readSecret } from '../../config/secret.ts';
import { readTextFile } from '../../helpers/files/text-file.ts';
import { type BmcSettings, pinOf } from '../../sources/bmc/settings.ts';
import { jsonOption } from '../common/options.ts';
import { argument, defineSubCommand, Option } from '../define-command.ts';
import { PROCESS_IO, type ProbeIo, probeDevice, timeoutOption, UsageError } from './device.ts';

export interface ProbeBmcOptions {
  readonly user?: string;
  readonly passwordFile?: string;
  readonly insecure?: boolean;
  readonly caFile?: string;
  readonly pin?: string;
  readonly name?: string;
  readonly timeout?: string;
  readonly json?: boolean;
}

/** Exit status: 0 read, 1 the BMC could not be read, 2 wrong usage. */
export function probeBmc(target: string, options: ProbeBmcOptions, io: ProbeIo = PROCESS_IO): Promise<number> {
  return probeDevice(options.json === true, io, {
    config: () => probeConfig(target, options, io.env),
    load: async () => ({
      read: (await import('../../sources/bmc/read-bmc.ts')).readBmc,
      Trouble: (await import('../../sources/bmc/http/redfish-error.ts')).RedfishError,
    }),
  });
}

function probeConfig(target: string, options: ProbeBmcOptions, env: ProbeIo['env']): BmcSettings {
  const url = URL.parse(/^https?:\/\//i.test(target) ? target : `https://${target}`);
  if (url === null || url.username !== '' || url.password !== '' || !/^(\/(redfish(\/v1)?\/?)?)?$/.test(url.pathname)) {
    const shown = target.includes('@') ? 'the URL' : `"${target.slice(0, 200)}"`;
    throw new UsageError(`FL2321 ${shown} is not the address of a BMC; write for example https://10.0.20.3`);
  }
  const { password } = secrets(options, env);
  if (options.insecure === true && options.caFile !== undefined) {
    throw new UsageError('FL2322 --insecure makes --ca-file useless; give one of them');
  }
  if (options.pin !== undefined && !/^[0-9a-fA-F]{2}(:?[0-9a-fA-F]{2}){31}$/.test(options.pin)) {
    throw new UsageError('FL2322 --pin is not a SHA-256 fingerprint; a probe without it prints the one to compare');
  }
  if (options.pin !== undefined && (options.insecure === true || options.caFile !== undefined)) {
    throw new UsageError('FL2322 --pin says which certificate is right; give it without --insecure and --ca-file');
  }
  const timeoutMs = timeoutOption('FL2322', options.timeout ?? '10000', 300_000);
  const ca = options.caFile === undefined ? null : readTextFile(options.caFile);
  if (options.caFile !== undefined && ca === null) {
    throw new UsageError(`FL2323 --ca-file ${options.caFile} cannot be read; give a file with a PEM certificate`);
  }
  return {
    host: options.name ?? url.hostname.replace(/^\[|\]$/g, ''),
    url: `${url.protocol}//${url.host}`,
    user: options.user ?? null,
    password,
    ca,
    insecure: options.insecure === true,
    pin: options.pin === undefined ? null : pinOf(options.pin),
    intervalMs: 10_000,
    timeoutMs,
  };
}

function secrets(options: ProbeBmcOptions, env: ProbeIo['env']): { password: string | null } {
  const given = env.FAULTLINE_BMC_PASSWORD ?? '';
  if (options.user === undefined) {
    if (options.passwordFile !== undefined) throw new UsageError('FL2322 --password-file needs --user NAME');
    return { password: null };
  }
  if (options.passwordFile === undefined) {
    if (given === '') throw new UsageError('FL2322 --user needs --password-file F, or $FAULTLINE_BMC_PASSWORD');
    return { password: given };
  }
  const read = readSecret(options.passwordFile);
  if ('error' in read) throw new UsageError(`FL2323 --password-file ${read.error}`);
  return { password: read.value };
}

export const probeBmcCommand = defineSubCommand<ProbeBmcOptions, [target: string]>({
  name: 'bmc',
  summary: 'read a BMC once over Redfish and print its readings',
  example: 'faultline probe bmc https://10.0.20.3',
  arguments: [argument('<url>', 'address of the BMC, for example https://10.0.20.3')],
  options: [
    new Option('--user <name>', 'user with read rights; asked without a login where left out'),
    new Option('--password-file <file>', 'file with the password; else $FAULTLINE_BMC_PASSWORD'),
    new Option('--ca-file <file>', 'certificate of the BMC or of who issued it, PEM'),
    new Option('--pin <sha256>', 'SHA-256 fingerprint of the certificate, whoever issued it'),
    new Option('--insecure', 'accept any certificate'),
    new Option('--name <name>', 'name of the host in the readings; that of the URL where left out'),
    new Option('--timeout <ms>', 'wait for each answer').default('10000'),
    jsonOption('print the readings document'),
  ],
  run: ({ arguments: [target], options }) => probeBmc(target, options),
});
