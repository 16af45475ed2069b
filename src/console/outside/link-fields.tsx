import { SelectField, TextField } from '../fields.tsx'
import { common } from '../words.ts'
import { words } from './words.ts'

export const DAY_MS = 86_400_000
const DAYS = ['1', '3', '7', '14', '30']
const DAYS_UNLESS_CHOSEN = '7'

/** Asks for whom a link is, and how long it works. */
export const LinkFields = () => (
  <>
    <TextField label={words.forWhom} hint={words.forWhomHint} name="name" autofocus required maxLength={200} />
    <SelectField
      label={words.worksFor}
      name="days"
      values={DAYS}
      textOf={(days) => common.count(Number(days), 'day')}
      selected={DAYS_UNLESS_CHOSEN}
    />
  </>
)
