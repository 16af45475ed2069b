import { saveFile } from '../audience/save-file.ts'
import { Icon } from '../icons.tsx'
import { announce, Button } from '../ui.tsx'
import { words } from './words.ts'

export const ExportButton = ({ name, toCsv, rows }: { name: string; toCsv: () => string; rows: number }) => (
  <Button
    kind="small"
    onClick={() => {
      saveFile(name, toCsv())
      announce(words.saved(rows))
    }}
  >
    <Icon name="download" /> {words.csv}
  </Button>
)
