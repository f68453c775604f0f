declare const PLACES: unique symbol;

/** A text with places in braces: `closes {at}`. */
export type Text<Place extends string = never> = string & { readonly [PLACES]?: Place };

/** A text by the plural category of a number, which fills the place `{n}`. */
export type CountedText<Place extends string = never> = Readonly<
  Partial<Record<Intl.LDMLPluralRule, Text<Place>>>
> & { readonly other: Text<Place> };

type PlacesIn<Written extends string> = Written extends `${string}{${infer Place}}${infer Rest}`
  ? Place | PlacesIn<Rest>
  : never;

/** What a table must have in any language: the texts of the English one, with the same places. */
export type Translated<Table> = Table extends string
  ? Text<PlacesIn<Table>>
  : Table extends { readonly other: infer Other extends string }
    ? CountedText<PlacesIn<Other>>
    : { readonly [Name in keyof Table]: Translated<Table[Name]> };

/** The places of a text. */
export type PlacesOf<Written> = Written extends Text<infer Place> ? Place : never;

/** What fills the places of a text. */
export type Filled<Place extends string> = Readonly<Record<Place, string>>;

const PLACE = /\{(\w+)\}/g;

/** A text with its places filled. Braces within the values stay as they are. */
export function say<Place extends string>(text: Text<Place>, values: Filled<Place>): string {
  return text.replaceAll(PLACE, (_, place: Place) => values[place]);
}

/** An entry of a table by a name from outside; undefined where there is none of that name. */
export function findEntry<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
