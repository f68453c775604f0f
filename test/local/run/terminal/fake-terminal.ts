/** The escape sequences that the run may write: styles, wrapping off and on, upwards, erase below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters.
const TOKEN = /\u001b\[(?:[\d;]*m|\?7[lh]|\d*[AJ])|\r|\n|[^\p{Cc}]/gu;

interface Row {
  text: string;
  /** Goes on in the next row, as it was too long for its width. */
  wrapped: boolean;
}

/** A terminal that wraps its lines anew at another width, as most do. Understands no more than it must. */
export class FakeTerminal {
  columns: number;
  height: number;
  private rows: Row[] = [{ text: '', wrapped: false }];
  private top = 0;
  private row = 0;
  private column = 0;
  private wraps = true;

  constructor(columns: number, height: number) {
    this.columns = columns;
    this.height = height;
  }

  /** Throws for a control character that the run must not write. */
  write(text: string): void {
    const tokens = text.match(TOKEN) ?? [];
    const known = tokens.join('').length;
    if (known !== text.length) throw new Error(`unknown control characters in ${JSON.stringify(text)}`);
    for (const token of tokens) this.take(token);
  }

  /** All that was ever written and not erased, the screen included, as if the terminal had not wrapped it. */
  lines(): readonly string[] {
    return this.joinRows().map(({ text }) => text.trimEnd());
  }

  screen(): readonly string[] {
    return this.rows.slice(this.top).map(({ text }) => text.trimEnd());
  }

  hasWrapped(): boolean {
    return this.rows.slice(this.top).some(({ wrapped }) => wrapped);
  }

  resize(columns: number, height: number): void {
    const lines = this.joinRows();
    const cursor = lines.findLastIndex(({ first }) => first <= this.row);
    const offset = (this.row - (lines[cursor]?.first ?? 0)) * this.columns + this.column;
    this.columns = columns;
    this.height = height;
    this.rows = [];
    for (const [index, { text }] of lines.entries()) {
      if (index === cursor) this.row = this.rows.length + Math.floor(offset / columns);
      const parts = text.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [''];
      this.rows.push(...parts.map((part, at) => ({ text: part, wrapped: at < parts.length - 1 })));
    }
    this.column = offset % columns;
    this.top = Math.max(0, this.rows.length - height);
  }

  private joinRows(): { text: string; first: number }[] {
    const lines: { text: string; first: number }[] = [];
    for (const [index, { text }] of this.rows.entries()) {
      const last = lines.at(-1);
      if (last !== undefined && this.rows[index - 1]?.wrapped === true) last.text += text;
      else lines.push({ text, first: index });
    }
    return lines;
  }

  private take(token: string): void {
    if (token === '\r') this.column = 0;
    else if (token === '\n') this.feed();
    else if (token.endsWith('A') && token.length > 1) {
      this.row = Math.max(this.top, this.row - Number(token.slice(2, -1)));
    } else if (token.endsWith('J') && token.length > 1) this.eraseBelow();
    else if (token.startsWith('\u001b[?7')) this.wraps = token.endsWith('h');
    else if (token.length === 1 || !token.startsWith('\u001b')) this.put(token);
  }

  private put(character: string): void {
    if (this.column >= this.columns && this.wraps) {
      this.current().wrapped = true;
      this.feed();
      this.column = 0;
    }
    this.column = Math.min(this.column, this.columns - 1);
    const { text } = this.current();
    const before = text.padEnd(this.column).slice(0, this.column);
    this.current().text = before + character + text.slice(this.column + 1);
    this.column += 1;
  }

  private feed(): void {
    this.row += 1;
    if (this.row === this.rows.length) this.rows.push({ text: '', wrapped: false });
    this.top = Math.max(this.top, this.row - this.height + 1);
  }

  private eraseBelow(): void {
    const current = this.current();
    current.text = current.text.slice(0, this.column);
    current.wrapped = false;
    this.rows.length = this.row + 1;
  }

  private current(): Row {
    const row = this.rows[this.row];
    if (row === undefined) throw new Error('the cursor left the terminal');
    return row;
  }
}
