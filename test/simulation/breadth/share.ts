import { Random } from '../random.ts';

/** Whether something with this name is one of a share; the same for the same name and salt, whoever asks when. */
export function isAmong(name: string, share: number, salt: number): boolean {
  if (share === 0) return false;
  let mixed = salt;
  for (let at = 0; at < name.length; at += 1) mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x0100_0193);
  return new Random(mixed).next() < share;
}
