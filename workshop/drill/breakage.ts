import type * as z from 'zod';
import { type EngineFault, SERVICES } from '#local/aws/engines/door.ts';
import type { Endpoints } from '#local/aws/template/local-account.ts';
import type { ReceiverKind } from '#local/receivers/server.ts';
import type { faultSchema } from '#local/source/http/faults.ts';
import type { RunningSource } from '#local/source/server.ts';
import { type EngineRequest, startFaultProxy } from './fault-proxy.ts';

type SourceFault = z.input<typeof faultSchema>;
type FindFault = (request: EngineRequest) => EngineFault | null;

/** What is broken now. */
export interface Broken {
  /** Faults of the source. */
  readonly source?: readonly SourceFault[];
  readonly table?: FindFault;
  /** Faults of SNS and SQS. */
  readonly messaging?: FindFault;
  /** Statuses of receivers. */
  readonly receivers?: Partial<Record<ReceiverKind, number>>;
}

/** Breaks parts of the machine, and repairs them. */
export interface Breakage {
  /** Addresses of the proxies in front of the engines, for the functions. */
  reach(engines: Endpoints): Endpoints;
  failing(receiver: ReceiverKind): number | null;
  set(broken: Broken, source: Pick<RunningSource, 'baseUrl' | 'token'>): Promise<void>;
  stop(): Promise<void>;
}

export interface BreakageOptions {
  /** Called for each request that is answered with a fault. */
  readonly noteFault: (fault: EngineFault, request: EngineRequest) => void;
}

export async function startBreakage({ noteFault }: BreakageOptions): Promise<Breakage> {
  let broken: Broken = {};
  let engines: Endpoints | null = null;
  const startProxy = (kind: 'messaging' | 'table', engine: 'dynamoDb' | 'messaging') =>
    startFaultProxy({
      engine: () => engines?.[engine] ?? '',
      accessKeyId: () => engines?.accessKeyId ?? '',
      services: SERVICES[engine],
      findFault: (request) => {
        const fault = broken[kind]?.(request) ?? null;
        if (fault !== null) noteFault(fault, request);
        return fault;
      },
    });
  const [table, messaging] = await Promise.all([
    startProxy('table', 'dynamoDb'),
    startProxy('messaging', 'messaging'),
  ]);
  return {
    reach: (real) => {
      engines = real;
      return { ...real, dynamoDb: table.endpoint, messaging: messaging.endpoint };
    },
    failing: (receiver) => broken.receivers?.[receiver] ?? null,
    set: async (next, source) => {
      broken = next;
      await setSourceFaults(next.source ?? [], source);
    },
    stop: async () => {
      await Promise.all([table.stop(), messaging.stop()]);
    },
  };
}

async function setSourceFaults(
  faults: readonly SourceFault[],
  { baseUrl, token }: Pick<RunningSource, 'baseUrl' | 'token'>,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const control = async (init: RequestInit) => {
    const response = await fetch(`${baseUrl}/control/faults`, { ...init, headers });
    if (!response.ok) throw new Error(`/control/faults answered ${response.status}`);
  };
  await control({ method: 'DELETE' });
  for (const fault of faults) await control({ method: 'POST', body: JSON.stringify(fault) });
}
