import type { ComponentChildren } from 'preact'
import { saveFile } from '../audience/save-file.ts'
import { Icon } from '../icons.tsx'
import { announce, Button, TableFrame } from '../ui.tsx'
import { words } from './words.ts'

/** The name of a row, and its figures. */
type Row = [key: string, name: ComponentChildren, ...figures: ComponentChildren[]]

interface FiguresTableProps {
  className: string
  title: string
  label: string
  /** The file of the export: its name, its records, and how many there are. */
  file: { name: string; toCsv: () => string; rows: number }
  /** The heads of the columns, that of the names first. */
  heads: string[]
  rows: Row[]
  total?: Row
  children?: ComponentChildren
}

/** A table of figures with its title and its export; `children` stand below it. */
export function FiguresTable({ className, title, label, file, heads, rows, total, children }: FiguresTableProps) {
  const download = (): void => {
    saveFile(file.name, file.toCsv())
    announce(words.saved(file.rows))
  }
  return (
    <section class={className}>
      <div class="bar">
        <h3>{title}</h3>
        <Button kind="small" onClick={download}>
          <Icon name="download" /> {words.csv}
        </Button>
      </div>
      <TableFrame label={label}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={head} scope="col" class={index > 0 ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map(toRow)}</tbody>
        {total && <tfoot>{toRow(total)}</tfoot>}
      </TableFrame>
      {children}
    </section>
  )
}

const toRow = ([key, name, ...figures]: Row) => (
  <tr key={key}>
    <th scope="row">{name}</th>
    {figures.map((figure, index) => (
      <td key={index} class="number">
        {figure}
      </td>
    ))}
  </tr>
)
