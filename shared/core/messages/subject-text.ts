/** ASCII forms of letters and punctuation that Unicode normalization does not decompose. */
const PLAIN_FORMS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};

/** A text as the subject of a mail: ASCII on one line, beginning with a letter or a digit. It may be longer than the text. */
export function toSubjectText(text: string): string {
  return [...text.normalize('NFC')]
    .map(toAscii)
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/\?{2,}/g, '?')
    .replace(/^[^A-Za-z0-9]+/, '')
    .trim();
}

function toAscii(character: string): string {
  if (/[\s\p{Cc}]/u.test(character)) return ' ';
  if (/[ -~]/.test(character)) return character;
  const form = PLAIN_FORMS[character];
  if (form !== undefined) return form;
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (plain === '') return '';
  return /^[ -~]+$/.test(plain) ? plain : '?';
}
