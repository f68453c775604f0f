import type { PublishResult } from '#shared/flow/poll/ports.ts';
import type { WebhookAnswer } from '#shared/systems/flow/webhook-run.ts';

/** What goes wrong with a call of a port: it fails, or the whole process dies, before or after the call has its effect. */
export const FAULTS = ['fails before', 'fails after', 'dies before', 'dies after'] as const;
export type Fault = (typeof FAULTS)[number];

/** Makes one of all calls go wrong. */
export class Faults {
  /** Names of the calls, in their order. */
  readonly calls: string[] = [];
  #plan: { readonly call: number; readonly fault: Fault } | null = null;
  #dead = false;

  /** Chooses the call that goes wrong, counted from 0. */
  plan(call: number, fault: Fault): void {
    this.#plan = { call, fault };
  }

  /** Starts the process again if it died, and returns whether it did. */
  revive(): boolean {
    const died = this.#dead;
    this.#dead = false;
    return died;
  }

  /** The port, with all of its methods counted. */
  wrap<Port extends object>(name: string, port: Port): Port {
    return new Proxy(port, {
      get: (target, method) => {
        const value = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          this.#call(`${name}.${String(method)}`, {
            work: async () => await value.apply(target, args),
            failure: () => {
              throw new Error('this call was planned to fail');
            },
          });
      },
    });
  }

  /** A call that does not throw: its failure is an answer. */
  answer(name: string, work: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    const failure = () => ({ outcome: 'unanswered', reason: 'connection_failed', durationMs: 5 }) as const;
    return this.#call<WebhookAnswer>(name, { work, failure });
  }

  publish(
    name: string,
    texts: readonly string[],
    work: (texts: readonly string[]) => void,
  ): Promise<PublishResult> {
    const unpublished = texts.map((_, index) => index);
    return this.#call<PublishResult>(name, {
      work: async () => {
        work(texts);
        return { published: texts.length, unpublished: [], refused: [] };
      },
      failure: () => ({ published: 0, unpublished, refused: [] }),
    });
  }

  async #call<Result>(
    name: string,
    { work, failure }: { work: () => Promise<Result>; failure: () => Result },
  ): Promise<Result> {
    // Other work goes on before a network answers.
    await null;
    if (this.#dead) throw new Error('this process is dead');
    const call = this.calls.push(name) - 1;
    const fault = this.#plan?.call === call ? this.#plan.fault : null;
    switch (fault) {
      case null:
        return work();
      case 'fails before':
        return failure();
      case 'fails after':
        await work();
        return failure();
      case 'dies before':
      case 'dies after':
        if (fault === 'dies after') await work();
        this.#dead = true;
        throw new Error('this process is dead');
    }
  }
}
