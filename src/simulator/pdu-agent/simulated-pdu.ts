// A simulated APC rack PDU: a real SNMP agent (v1, v2c, v3) on a loopback UDP port whose values a script changes live.

import type { RemoteInfo } from 'node:dgram';
import snmp from 'net-snmp';
import { type DatagramHead, datagramHead } from '../../sources/pdu/datagram.ts';
import { installDesPrivacy } from '../../sources/pdu/des-privacy.ts';
import type { SnmpUser } from '../../sources/pdu/settings.ts';
import { AgentSocket } from './agent-socket.ts';
import {
  AP8641,
  bankOfOutlet,
  ENTERPRISE,
  initialRows,
  LOAD_STATES,
  type LoadState,
  type PduModel,
  phaseOfBank,
  RPDU2,
  TABLES,
  type TableName,
} from './rpdu2-model.ts';
import { USM_STATS, usmReport } from './usm-report.ts';

export interface SimulatedPduOptions {
  readonly model?: Partial<PduModel>;
  /** 0 or left out: a free port. */
  readonly port?: number;
  readonly address?: string;
  readonly community?: string;
  /** SNMPv3 user; v1 and v2c stay open. */
  readonly user?: SnmpUser;
}

export type PduPartName = 'device' | 'phase' | 'bank' | 'outlet';

/** What of the protocol library's agent and MIB is used here (its type package leaves both untyped). */
interface Mib {
  registerProvider(provider: object): void;
  setScalarValue(name: string, value: number | string): void;
  addTableRow(table: string, row: readonly (number | string)[]): void;
  setTableSingleCell(table: string, column: number, row: readonly number[], value: number | string): void;
  getTableSingleCell(table: string, column: number, row: readonly number[]): number;
}
interface Agent {
  getMib(): Mib;
  getAuthorizer(): { addCommunity(community: string): void; addUser(user: object): void };
  close(done?: () => void): void;
  readonly engine: { readonly engineID: Buffer };
}

const POWER_FACTOR = 0.96;

/** msgFlags (RFC 3412 section 6.4) that a security level sets. */
const LEVEL_FLAGS = { noAuthNoPriv: 0, authNoPriv: 1, authPriv: 3 } as const;

export class SimulatedPdu {
  readonly model: PduModel;
  readonly port: number;
  readonly #socket: AgentSocket;
  readonly #user: SnmpUser | null;
  readonly #agent: Agent;
  readonly #voltages: number[];
  readonly #outletA: number[];
  readonly #off = new Set<number>();
  #startedMs = performance.now() - 3_600_000;

  private constructor(socket: AgentSocket, options: SimulatedPduOptions) {
    this.model = { ...AP8641, banks: (options.model?.phases ?? AP8641.phases) * 2, ...options.model };
    this.#socket = socket;
    this.port = socket.port;
    this.#user = options.user ?? null;
    this.#voltages = Array.from({ length: this.model.phases }, () => this.model.voltageV);
    this.#outletA = Array.from({ length: this.model.outlets }, () => this.model.outletCurrentA);
    this.#agent = snmp.createAgent(
      { port: socket.port, address: options.address ?? '127.0.0.1', dgramModule: { createSocket: () => socket } },
      (error: unknown) => this.#refused(error),
    ) as Agent; // untyped in the type package
    this.#agent.getAuthorizer().addCommunity(options.community ?? 'public');
    if (this.#user) this.#agent.getAuthorizer().addUser(libraryUser(this.#user));
    socket.intercept = (buffer, from) => this.#levelTooLow(buffer, from);
    this.#fill();
    this.#recompute();
  }

  static async start(options: SimulatedPduOptions = {}): Promise<SimulatedPdu> {
    return new SimulatedPdu(await AgentSocket.open(options.address ?? '127.0.0.1', options.port ?? 0), options);
  }

  /** Volts of a phase. The rPDU2 tables carry whole volts: 121.4 is served as 121. */
  setVoltage(phase: number, volts: number): void {
    this.#voltages[phase - 1] = volts;
    this.#recompute();
  }

  /** Current of one outlet, A; banks, phases and powers follow as sums. */
  setOutletCurrent(outlet: number, ampere: number): void {
    this.#outletA[outlet - 1] = ampere;
    this.#recompute();
  }

  /** Total current of a phase, A, shared equally by its outlets that are on. */
  setCurrent(phase: number, amperes: number): void {
    const outlets = this.#outletA.flatMap((_, i) =>
      this.#phaseOfOutlet(i + 1) === phase && !this.#off.has(i + 1) ? [i] : [],
    );
    for (const i of outlets) this.#outletA[i] = amperes / outlets.length;
    this.#recompute();
  }

  /** Opens the breaker of a bank: all its outlets fall to 0 A, their switches stay on. */
  tripBank(bank: number): void {
    this.#outletA.forEach((_, i) => {
      if (bankOfOutlet(this.model, i + 1) === bank) this.#outletA[i] = 0;
    });
    this.#recompute();
  }

  setLoadState(part: PduPartName, number: number, state: LoadState): void {
    this.#set(part === 'outlet' ? 'metered' : part, part === 'outlet' ? 5 : 4, number, LOAD_STATES[state]);
  }

  /** Switches an outlet; off takes its current to 0. */
  setOutlet(outlet: number, on: boolean): void {
    if (on) this.#off.delete(outlet);
    else this.#off.add(outlet);
    this.#set('switched', 5, outlet, on ? 2 : 1);
    this.setOutletCurrent(outlet, on ? this.model.outletCurrentA : 0);
  }

  /** Deaf: requests get no answer, as when the PDU lost its own power. */
  setSilent(silent: boolean): void {
    this.#socket.faults.answering = !silent;
  }

  /** Every answer comes this much later. */
  setDelay(delayMs: number): void {
    this.#socket.faults.delayMs = delayMs;
  }

  /** GETBULK with more repetitions is never answered; 0 for an agent without GETBULK. */
  setMostRepetitions(most: number): void {
    this.#socket.faults.mostRepetitions = most;
  }

  /** sysUpTime starts again at zero. */
  /** `agoMs`: how long it claims to have been up. */
  reboot(agoMs = 0): void {
    this.#startedMs = performance.now() - agoMs;
  }

  /** Puts any raw value into a table, -1 for "not known". */
  setRaw(table: TableName, column: number, row: number, value: number | string): void {
    this.#set(table, column, row, value);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#agent.close(() => resolve()));
  }

  #phaseOfOutlet(outlet: number): number {
    return phaseOfBank(this.model, bankOfOutlet(this.model, outlet));
  }

  #set(table: TableName, column: number, row: number, value: number | string): void {
    this.#agent.getMib().setTableSingleCell(table, column, [row], value);
  }

  #fill(): void {
    const mib = this.#agent.getMib();
    const { model, name } = this.model;
    const scalar = (scalarName: string, oid: string, scalarType: number, value: number | string, handler?: object) => {
      mib.registerProvider({
        name: scalarName,
        type: snmp.MibProviderType.Scalar,
        oid,
        scalarType,
        maxAccess: 2,
        ...handler,
      });
      mib.setScalarValue(scalarName, value);
    };
    const { OctetString, OID, TimeTicks } = snmp.ObjectType;
    const description = `APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.8.2 AF1:v6.8.0 MN:${model} HR:02 SN: ${this.model.serial} MD:01/03/2020) `;
    scalar('sysDescr', '1.3.6.1.2.1.1.1', OctetString, description);
    scalar('sysObjectID', '1.3.6.1.2.1.1.2', OID, `${ENTERPRISE}.1.3.4.6`);
    scalar('sysUpTime', '1.3.6.1.2.1.1.3', TimeTicks, 0, {
      handler: (request: { done(): void }) => {
        mib.setScalarValue('sysUpTime', Math.floor((performance.now() - this.#startedMs) / 10) % 2 ** 32);
        request.done();
      },
    });
    scalar('sysName', '1.3.6.1.2.1.1.5', OctetString, name);
    for (const [table, rows] of Object.entries(initialRows(this.model))) {
      const { entry, columns } = TABLES[table as TableName]; // keys of the very record that is typed by it
      mib.registerProvider({
        name: table,
        type: snmp.MibProviderType.Table,
        oid: `${RPDU2}.${entry}`,
        maxAccess: 0,
        tableColumns: Object.entries(columns).map(([number, type]) => ({
          number: Number(number),
          name: `${table}${number}`,
          type,
          maxAccess: 2,
        })),
        tableIndex: [{ columnNumber: 1 }],
      });
      for (const row of rows) mib.addTableRow(table, row);
    }
  }

  /** Sums and powers from outlet currents and phase voltages, in the units of the MIB. */
  #recompute(): void {
    const { phases, banks, outlets } = this.model;
    const bankA = Array.from({ length: banks }, () => 0);
    const phaseA = Array.from({ length: phases }, () => 0);
    for (let outlet = 1; outlet <= outlets; outlet += 1) {
      const ampere = this.#outletA[outlet - 1] ?? 0;
      const bank = bankOfOutlet(this.model, outlet);
      const phase = phaseOfBank(this.model, bank);
      bankA[bank - 1] = (bankA[bank - 1] ?? 0) + ampere;
      phaseA[phase - 1] = (phaseA[phase - 1] ?? 0) + ampere;
      this.#set('metered', 6, outlet, Math.round(ampere * 10));
      this.#set('metered', 7, outlet, Math.round(ampere * (this.#voltages[phase - 1] ?? 0) * POWER_FACTOR));
    }
    for (const [i, ampere] of bankA.entries()) this.#set('bank', 5, i + 1, Math.round(ampere * 10));
    let apparentVA = 0;
    phaseA.forEach((ampere, i) => {
      const volts = this.#voltages[i] ?? 0;
      apparentVA += ampere * volts;
      this.#set('phase', 5, i + 1, Math.round(ampere * 10));
      this.#set('phase', 6, i + 1, Math.round(volts));
      this.#set('phase', 7, i + 1, Math.round((ampere * volts * POWER_FACTOR) / 10));
      this.#set('phase', 8, i + 1, Math.round((ampere * volts) / 10));
    });
    this.#set('device', 5, 1, Math.round((apparentVA * POWER_FACTOR) / 10));
    this.#set('device', 16, 1, Math.round(apparentVA / 10));
  }

  /** The library's agent is silent on wrong keys; a device tells the client which counter went up. */
  #refused(error: unknown): void {
    const current = this.#socket.current;
    const head = error && current ? datagramHead(current.buffer) : null;
    if (!current || !head?.v3 || head.v3.user !== this.#user?.name) return;
    const counter = this.#authentic(current.buffer, head.v3.digest)
      ? USM_STATS.decryptionErrors
      : USM_STATS.wrongDigests;
    this.#report(head, counter, current.from);
  }

  /** It also calls a level that is too low a wrong digest. */
  #levelTooLow(buffer: Buffer, from: RemoteInfo): boolean {
    const head = datagramHead(buffer);
    if (!head?.v3 || head.v3.user !== this.#user?.name || this.#user === null) return false;
    if ((head.v3.flags & LEVEL_FLAGS[this.#user.level]) === LEVEL_FLAGS[this.#user.level]) return false;
    this.#report(head, USM_STATS.unsupportedSecLevels, from);
    return true;
  }

  #report(head: DatagramHead, counter: number, to: RemoteInfo): void {
    const report = usmReport(head, this.#agent.engine.engineID, counter);
    this.#socket.send(report, 0, report.length, to.port, to.address, () => undefined);
  }

  #authentic(buffer: Buffer, digest: Buffer): boolean {
    const { authProtocol, authKey } = this.#user ?? {};
    if (!authProtocol || !authKey) return false;
    const protocol = snmp.AuthProtocols[authProtocol];
    return snmp.Authentication.isAuthentic(buffer, protocol, authKey, this.#agent.engine.engineID, digest);
  }
}

function libraryUser(user: SnmpUser): object {
  if (user.privProtocol === 'des') installDesPrivacy();
  return {
    name: user.name,
    level: snmp.SecurityLevel[user.level],
    authProtocol: snmp.AuthProtocols[user.authProtocol ?? 'none'],
    authKey: user.authKey ?? '',
    privProtocol: snmp.PrivProtocols[user.privProtocol ?? 'none'],
    privKey: user.privKey ?? '',
  };
}
