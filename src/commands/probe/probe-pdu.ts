// faultline probe pdu: reads one PDU once over SNMP and prints its readings.

import { readFileSync } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';
import { redactAddress } from '../../model/redact.ts';
import type { PduSettings, SnmpUser } from '../../sources/pdu/settings.ts';
import { jsonOption } from '../common/options.ts';
import { argument, defineSubCommand, Option } from '../define-command.ts';
import { PROCESS_IO, type ProbeIo, probeDevice, timeoutOption, UsageError } from './device.ts';

const VERSIONS = ['1', '2c', '3'] as const;
const LEVELS = ['noAuthNoPriv', 'authNoPriv', 'authPriv'] as const;
const AUTH_PROTOCOLS = ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
const PRIV_PROTOCOLS = ['des', 'aes', 'aes256b', 'aes256r'] as const;

export interface ProbePduOptions {
  readonly snmpVersion?: string;
  readonly community?: string;
  readonly v3User?: string;
  readonly v3Level?: string;
  readonly authProtocol?: string;
  readonly authKeyFile?: string;
  readonly privProtocol?: string;
  readonly privKeyFile?: string;
  readonly name?: string;
  readonly timeout?: string;
  readonly walk?: string;
  readonly json?: boolean;
}

/** Exit status: 0 read, 1 the PDU could not be read, 2 wrong usage. */
export async function probePdu(target: string, options: ProbePduOptions, io: ProbeIo = PROCESS_IO): Promise<number> {
  if (options.walk !== undefined) {
    const { saveWalk } = await import('./walk-pdu.ts');
    return saveWalk(() => probeConfig(target, options, io.env), options.walk, io);
  }
  return probeDevice(options.json === true, io, {
    config: () => probeConfig(target, options, io.env),
    load: async () => ({
      read: (await import('../../sources/pdu/read-pdu.ts')).readPdu,
      Trouble: (await import('../../sources/pdu/snmp-error.ts')).SnmpError,
    }),
  });
}

function probeConfig(target: string, options: ProbePduOptions, env: ProbeIo['env']): PduSettings {
  const { host, port } = parseTarget(target);
  const version = oneOf('--snmp-version', options.snmpVersion ?? (options.v3User === undefined ? '2c' : '3'), VERSIONS);
  if (version === '3' && options.v3User === undefined) {
    throw new UsageError('FL2122 --snmp-version 3 needs --v3-user NAME');
  }
  if (version !== '3' && options.v3User !== undefined) {
    throw new UsageError(`FL2122 --v3-user needs --snmp-version 3, not ${version}`);
  }
  const timeoutMs = timeoutOption('FL2122', options.timeout ?? '2000', 60_000);
  return {
    name: options.name ?? host,
    host,
    port,
    version,
    community: version === '3' ? null : (options.community ?? env.FAULTLINE_SNMP_COMMUNITY ?? 'public'),
    user: version === '3' ? snmpUser(options) : null,
    intervalMs: 2000,
    timeoutMs,
    retries: 1,
  };
}

/** HOST, HOST:PORT, [ADDRESS6] or [ADDRESS6]:PORT. */
function parseTarget(target: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]+))(?::(\d{1,5}))?$/.exec(target);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? '161');
  if (host === undefined || port < 1 || port > 65_535) {
    throw new UsageError(
      `FL2121 "${redactAddress(target)}" is not a HOST[:PORT]; write for example pdu-b.example.net, 10.0.0.5:161 or [2001:db8::5]:161`,
    );
  }
  return { host, port };
}

function snmpUser(options: ProbePduOptions): SnmpUser {
  const guessed =
    options.privKeyFile !== undefined ? 'authPriv' : options.authKeyFile !== undefined ? 'authNoPriv' : 'noAuthNoPriv';
  const level = oneOf('--v3-level', options.v3Level ?? guessed, LEVELS);
  const auth = level !== 'noAuthNoPriv';
  const priv = level === 'authPriv';
  return {
    name: options.v3User ?? '',
    level,
    authProtocol: auth ? oneOf('--auth-protocol', options.authProtocol ?? 'sha256', AUTH_PROTOCOLS) : null,
    authKey: auth ? keyFrom('--auth-key-file', options.authKeyFile, level) : null,
    privProtocol: priv ? oneOf('--priv-protocol', options.privProtocol ?? 'aes', PRIV_PROTOCOLS) : null,
    privKey: priv ? keyFrom('--priv-key-file', options.privKeyFile, level) : null,
  };
}

function oneOf<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw new UsageError(`FL2122 ${option} "${value}" is none of ${choices.join(', ')}`);
  return choice;
}

function keyFrom(option: string, path: string | undefined, level: string): string {
  if (path === undefined) throw new UsageError(`FL2122 level ${level} needs ${option} FILE`);
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = errorCode(error) ?? 'unreadable';
    throw new UsageError(`FL2123 ${option} ${path} cannot be read (${code}); give a file that holds only the key`);
  }
}

const choice = (flags: string, text: string, choices: readonly string[]): Option =>
  new Option(flags, `${text}: ${choices.join(', ')}`);

export const probePduCommand = defineSubCommand<ProbePduOptions, [target: string]>({
  name: 'pdu',
  summary: 'read a PDU once over SNMP and print its readings',
  example: 'faultline probe pdu 10.0.14.2',
  arguments: [argument('<host[:port]>', 'address of the PDU; port 161 where left out')],
  options: [
    choice('--snmp-version <version>', 'protocol', VERSIONS),
    new Option('--community <text>', 'for versions 1 and 2c; else $FAULTLINE_SNMP_COMMUNITY, else "public"'),
    new Option('--v3-user <name>', 'SNMPv3 user'),
    choice('--v3-level <level>', 'security level, by the key files where left out', LEVELS),
    choice('--auth-protocol <name>', 'sha256 where left out', AUTH_PROTOCOLS),
    new Option('--auth-key-file <file>', 'file with the authentication passphrase'),
    choice('--priv-protocol <name>', 'aes where left out', PRIV_PROTOCOLS),
    new Option('--priv-key-file <file>', 'file with the privacy passphrase'),
    new Option('--name <name>', 'name of the PDU in the readings; the host where left out'),
    new Option('--walk <file>', 'save its objects instead, serials, names and addresses replaced: for adding a model'),
    new Option('--timeout <ms>', 'wait for each answer').default('2000'),
    jsonOption('print the readings document'),
  ],
  run: ({ arguments: [target], options }) => probePdu(target, options),
});
