/** A function of every stack: each webhook and each channel of Slack or Teams has one of its own, of the same code. */
export function nameKind(functionName: string, stackNames: readonly string[]): string {
  const stack = stackNames.find((name) => functionName.startsWith(`${name}-`)) ?? '';
  const name = functionName.slice(stack.length + 1);
  if (name.startsWith('webhook-')) return 'deliver-webhook';
  return /^(?:slack|teams)-/.test(name) ? 'deliver-chat' : name;
}
