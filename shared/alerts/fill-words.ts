/** Words that name the connection: as they are when they do already. */
export function nameConnection(words: string): string {
  return words.includes('{connection}') ? words : `{connection}: ${words}`;
}

/** Fills in the placeholders of a rule's words. Placeholders within the values stay as they are. */
export function fillWords(
  words: string,
  values: Readonly<Record<'sentence' | 'connection' | 'type', string>>,
) {
  return words.replaceAll(/\{(sentence|connection|type)\}/g, (_, name: keyof typeof values) => values[name]);
}
