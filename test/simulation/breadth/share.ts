import { Random } from '../random.ts';

/** Whether a name is among a share of all names; depends on name and salt alone. */
export function isAmong(name: string, share: number, salt: number): boolean {
  if (share === 0) return false;
  let mixed = salt;
  for (let at = 0; at < name.length; at += 1) mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x0100_0193);
  return new Random(mixed).next() < share;
}
