import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant, today } from '../times.ts'
import { settings as words } from '../words.ts'
import { startOfDay } from '../zoned.ts'

/** A key or token, which expires or is revoked. */
interface Lifetime {
  revokedAt?: string
  expiresAt?: string
}

/** Returns true if it is revoked or expired. */
export const isOver = ({ revokedAt, expiresAt }: Lifetime, nowMs: number): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)

/** Shows when it expires, or when it ended. */
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

/** Returns the day on which something expires, in the time zone. */
export const dayOf = (instant: string, timeZone: string): string => today(Date.parse(instant), timeZone)

export function ExpiresField({ timeZone, day = '' }: { timeZone: string; day?: string | undefined }) {
  const min = addDays(today(now(), timeZone), 1)
  return (
    <TextField
      label={words.expires}
      hint={words.expiresHint}
      type="date"
      name="expires"
      // An expiry within today may stay.
      min={day !== '' && day < min ? day : min}
      defaultValue={day}
    />
  )
}

/** Reads a form's ExpiresField: the start of the day, or none. */
export function expiryIn(form: FormData, timeZone: string): { expiresAt?: string } {
  const day = textIn(form, 'expires')
  return day === '' ? {} : { expiresAt: startOfDay(day, timeZone) }
}
