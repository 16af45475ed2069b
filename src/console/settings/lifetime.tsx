import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant, today } from '../times.ts'
import { settings as words } from '../words.ts'
import { startOfDay } from '../zoned.ts'

/** A key or a token, which ends at a time or is revoked. */
interface Lifetime {
  revokedAt?: string
  expiresAt?: string
}

/** True for what is revoked or expired. */
export const isOver = ({ revokedAt, expiresAt }: Lifetime, nowMs: number): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)

/** Says until when it works, or since when it does not. */
export function LifetimeText({ of, nowMs }: { of: Lifetime; nowMs: number }) {
  const { timeZone } = useOrganization()
  const { revokedAt, expiresAt } = of
  if (revokedAt !== undefined)
    return <span class="state-bad">{words.revokedAt({ time: formatInstant(revokedAt, timeZone, 'short') })}</span>
  if (expiresAt === undefined) return null
  if (isOver(of, nowMs))
    return <span class="state-bad">{words.expiredAt({ time: formatInstant(expiresAt, timeZone, 'short') })}</span>
  return <span>{words.until({ time: formatInstant(expiresAt, timeZone) })}</span>
}

/** The day, in the zone, on which something ends. */
export const dayOf = (instant: string, timeZone: string): string => today(Date.parse(instant), timeZone)

export function ExpiresField({ timeZone, day = '' }: { timeZone: string; day?: string | undefined }) {
  const min = addDays(today(now(), timeZone), 1)
  return (
    <TextField
      label={words.expires}
      hint={words.expiresHint}
      type="date"
      name="expires"
      // An end within today may stay.
      min={day !== '' && day < min ? day : min}
      defaultValue={day}
    />
  )
}

/** The end that a form with an ExpiresField has: the beginning of the day, or none. */
export function expiryIn(form: FormData, timeZone: string): { expiresAt?: string } {
  const day = textIn(form, 'expires')
  return day === '' ? {} : { expiresAt: startOfDay(day, timeZone) }
}
