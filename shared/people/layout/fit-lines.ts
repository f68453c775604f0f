interface Room {
  /** Lines of the message. */
  readonly lines: number;
  /** Bytes of JSON that a receiver takes. */
  readonly maxBytes: number;
}

/** What is sent with as many lines as there is room for, the first ones; without any, if that is too long. */
export function fitLines<Payload>({ lines, maxBytes }: Room, build: (shown: number) => Payload): Payload {
  for (let shown = lines; shown > 0; shown -= 1) {
    const payload = build(shown);
    if (new TextEncoder().encode(JSON.stringify(payload)).length <= maxBytes) return payload;
  }
  return build(0);
}
