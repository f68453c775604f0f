import type { Authorizer, Caller, Verdict } from './authorize.ts';
import type { Statement } from './policy.ts';
import { listNeeds, type WireRequest } from './request.ts';

/** What a role was granted when it was admitted. */
interface Grant {
  readonly caller: Caller;
  readonly statements: readonly Statement[];
}

/** What was seen of the roles so far. */
export interface Evidence {
  readonly grants: readonly Grant[];
  readonly verdicts: readonly Verdict[];
}

/** Decides about the requests of admitted roles, and keeps a record. */
export interface Judge extends Evidence {
  admit(accessKeyId: string, caller: Caller): Promise<void>;
  /** Why the request is refused. Null when it is not, and for a caller who was not admitted. */
  judge(wire: WireRequest | null): Promise<Verdict | null>;
}

export function createJudge(authorizer: Authorizer): Judge {
  const callers = new Map<string, Caller>();
  const grants: Grant[] = [];
  const verdicts: Verdict[] = [];
  return {
    grants,
    verdicts,
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
      return reached.find(({ by }) => by === null) ?? null;
    },
  };
}
