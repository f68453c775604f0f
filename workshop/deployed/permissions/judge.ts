import type { Authorizer, Caller, Verdict } from './authorize.ts';
import type { Statement } from './policy.ts';
import { listNeeds, type WireRequest } from './request.ts';

/** A request of a role about which the emulator and this test do not agree. */
interface Disagreement {
  readonly request: string;
  /** Of the test. */
  readonly expected: 'allowed' | 'refused';
  readonly answer: string;
}

/** What a role was granted when it was admitted. */
interface Grant {
  readonly caller: Caller;
  readonly statements: readonly Statement[];
}

/** What was seen of the roles so far. */
export interface Evidence {
  readonly grants: readonly Grant[];
  readonly verdicts: readonly Verdict[];
  readonly disagreements: readonly Disagreement[];
}

interface Judged {
  readonly wire: WireRequest;
  readonly caller: Caller;
  readonly refusal: Verdict | undefined;
  /** The emulator must decide the same. */
  readonly decidedByEmulator: boolean;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Decides about the requests of admitted roles, and keeps a record. */
export interface Judge extends Evidence {
  admit(accessKeyId: string, caller: Caller): Promise<void>;
  /** Null for a caller who was not admitted. */
  judge(wire: WireRequest | null): Promise<Judged | null>;
  /** Notes when the emulator decided otherwise. */
  compare(judged: Judged, answer: Answer): void;
}

export function createJudge(authorizer: Authorizer, decidedByEmulator: ReadonlySet<string>): Judge {
  const callers = new Map<string, Caller>();
  const grants: Grant[] = [];
  const verdicts: Verdict[] = [];
  const disagreements: Disagreement[] = [];
  return {
    grants,
    verdicts,
    disagreements,
    admit: async (accessKeyId, caller) => {
      authorizer.forget();
      callers.set(accessKeyId, caller);
      grants.push({ caller, statements: await authorizer.statementsOf(caller.roleArn) });
    },
    judge: async (wire) => {
      const caller = callers.get(wire?.accessKeyId ?? '');
      if (wire === null || caller === undefined) return null;
      const reached = await authorizer.authorize(caller, listNeeds(wire));
      verdicts.push(...reached);
      const refusal = reached.find(({ by }) => by === null);
      // No emulator asks for the key that a service uses for the caller.
      const isOurs = refusal?.permission.action.startsWith('kms:') === true && wire.service !== 'kms';
      return { wire, caller, refusal, decidedByEmulator: decidedByEmulator.has(wire.service) && !isOurs };
    },
    compare: ({ wire, caller, refusal }, { status, body }) => {
      const refused = status >= 400 && REFUSAL.test(body.toString());
      if (refused === (refusal !== undefined)) return;
      disagreements.push({
        request: `${wire.service}:${wire.operation} of ${caller.functionName}`,
        expected: refusal === undefined ? 'allowed' : 'refused',
        answer: `${status} ${body.toString().slice(0, MAX_ANSWER_CHARACTERS)}`,
      });
    },
  };
}

const MAX_ANSWER_CHARACTERS = 300;
const REFUSAL = /AccessDenied|AuthorizationError|not authorized/i;
