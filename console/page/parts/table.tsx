import type { ComponentChildren } from 'preact';

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly key: string | null; readonly cells: readonly ComponentChildren[] }[];
  readonly class?: string;
}

/** A table in which the first cell of a row is its heading. */
export function Table({ columns, rows, class: name }: TableProps) {
  const classOf = (place: number) => (columns[place]?.isNumber === true ? 'number' : undefined);
  return (
    <table class={name}>
      <thead>
        <tr>
          {columns.map((column, place) => (
            <th key={column.name} scope="col" class={classOf(place)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells: [heading, ...cells] }) => (
          <tr key={key}>
            <th scope="row">{heading}</th>
            {cells.map((cell, place) => (
              <td key={place} class={classOf(place + 1)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
