import type { Evidence } from './evidence.ts';

/** Answers about a history by key, each computed once: many records ask the same. */
export function rememberByHistory<Answer extends {}>() {
  const answers = new WeakMap<Evidence, Map<string, Answer>>();
  return (evidence: Evidence, key: string, compute: () => Answer): Answer => {
    const known = answers.get(evidence) ?? new Map<string, Answer>();
    answers.set(evidence, known);
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = compute();
    known.set(key, answer);
    return answer;
  };
}
