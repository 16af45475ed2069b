import type { ComponentChildren } from 'preact'
import { saveFile } from '../audience/save-file.ts'
import { Icon } from '../icons.tsx'
import { announce, Button, TableFrame } from '../ui.tsx'
import { insights as words } from '../words.ts'
import type { Sort } from './sort.ts'

/** A row: its name and figures. */
type Row = [key: string, name: ComponentChildren, ...figures: ComponentChildren[]]

/** A column: its name in the address, and its heading. */
type Head = readonly [column: string, text: string]

interface FiguresTableProps {
  className: string
  title: string
  label: string
  /** The exported file: its name, its content, and the number of rows. */
  file: { name: string; toCsv: () => string; rows: number }
  /** Column headings, the name column first. */
  heads: Head[]
  sort: Sort<string>
  /** Called when a heading is clicked. */
  onSort: (sort: Sort<string>) => void
  rows: Row[]
  total?: Row | undefined
  /** Shown beside the title. */
  controls?: ComponentChildren
  children?: ComponentChildren
}

/** A table of figures with a title and an export; `children` are shown below it. */
export function FiguresTable(props: FiguresTableProps) {
  const { className, title, label, file, heads, sort, onSort, rows, total, controls, children } = props
  const download = (): void => {
    saveFile(file.name, file.toCsv())
    announce(words.saved({ rows: file.rows }))
  }
  return (
    <section class={`figures-table ${className}`}>
      <div class="bar">
        <h3>{title}</h3>
        {controls}
        <Button kind="small" onClick={download}>
          <Icon name="download" /> {words.csv}
        </Button>
      </div>
      <TableFrame label={label}>
        <thead>
          <tr>
            {heads.map(([column, text], index) => (
              <SortableHead key={column} {...{ column, text, sort, onSort }} isNumber={index > 0} />
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

interface SortableHeadProps extends Pick<FiguresTableProps, 'sort' | 'onSort'> {
  column: string
  text: string
  isNumber: boolean
}

/** A column heading. A click sorts by the column, numbers in descending order; another click reverses the order. */
function SortableHead({ column, text, isNumber, sort, onSort }: SortableHeadProps) {
  const isSorted = sort.by === column
  const order = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={order}>
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ by: column, isDescending: isSorted ? !sort.isDescending : isNumber })}
      >
        {text}
      </button>
    </th>
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
