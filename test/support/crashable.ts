/** A process that crashes at one of its calls, before or after that call has its effect. Its later calls have none. */
interface CrashPlan {
  readonly crashesAt: number;
  readonly when: 'before' | 'after';
  calls: number;
  crashed: boolean;
}

class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';
}

/** The port as the process with this plan calls it. All of its methods must be asynchronous. */
export function crashable<Port extends object>(port: Port, plan: CrashPlan): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => await callOrCrash(plan, () => method.apply(target, given));
    },
  });
}

async function callOrCrash(plan: CrashPlan, effect: () => Promise<unknown>): Promise<unknown> {
  if (!plan.crashed) plan.calls += 1;
  const crashes = !plan.crashed && plan.calls === plan.crashesAt;
  if (plan.crashed || (crashes && plan.when === 'before')) throw crash(plan);
  const result = await effect();
  if (plan.crashed || crashes) throw crash(plan);
  return result;
}

function crash(plan: CrashPlan): SimulatedCrash {
  plan.crashed = true;
  return new SimulatedCrash();
}

/**
 * Runs a scenario once for each call at which its process can crash, before that call and after it. `scenario` returns whether
 * its process crashed. Returns the number of crashes.
 */
export async function crashAtEveryCall(scenario: (plan: CrashPlan) => Promise<boolean>): Promise<number> {
  let crashCount = 0;
  for (let crashesAt = 1; ; crashesAt += 1) {
    for (const when of ['before', 'after'] as const) {
      if (!(await scenario({ crashesAt, when, calls: 0, crashed: false }))) return crashCount;
      crashCount += 1;
    }
  }
}
