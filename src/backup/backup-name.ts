import { BackupError, type Head } from './backup-file.js'

/** The names of automatic backups: the instant in their head, without milliseconds. */
export const SCHEDULED_NAME = /^greenroom-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.backup$/

export const scheduledName = (at: Date): string =>
  `greenroom-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`

/** Throws BackupError if the backup is older or newer than its name says. */
export function refuseOtherName(name: string, { at }: Head): void {
  const [, day, hours, minutes, seconds] = SCHEDULED_NAME.exec(name) ?? []
  if (day === undefined) return
  const named = `${day}T${hours}:${minutes}:${seconds}Z`
  if (Date.parse(named) === Math.floor(Date.parse(at) / 1000) * 1000) return
  throw new BackupError(
    `Its name says ${named}, but it was made at ${at}: it is a different backup under that name. Find the right one or, if you want this one, rename it.`,
  )
}
