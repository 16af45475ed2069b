import { listTasks } from '../removal/housekeeping.store.js'
import { tasksOf } from '../removal/retention.js'
import { type ExaminedDatabase, type Findings, findingsOf, orFine } from './finding.js'

const { ok, warning } = findingsOf('retention')

const DAY_MS = 86_400_000

/** Checks that configured retention runs, and that the audit trail reaches back as far as a restore needs. */
export async function* checkRetention(examined: ExaminedDatabase): Findings {
  const names = tasksOf(examined.config).map(({ name }) => name)
  if (names.length > 0) yield* orFine(findFaults(examined, names), ok(`It is set for ${names.join(', ')}.`))
}

async function* findFaults({ database, config, clock }: ExaminedDatabase, names: readonly string[]): Findings {
  const nextAt = new Map((await listTasks(database)).map(({ task, next_at }) => [task, next_at.getTime()]))
  for (const name of names) {
    if (clock.now() - (nextAt.get(name) ?? clock.now()) <= DAY_MS) continue
    yield warning(
      `Expired data (${name}) has not been removed for more than a day.`,
      'See the log of the service. If the roles are split, publishers and workers remove it: give them these settings too.',
    )
  }
  const { audit } = config.retention
  const backupsMs = config.backup === null ? 0 : config.backup.everyMs * config.backup.keep
  if (audit !== undefined && audit.keepMs < backupsMs) {
    yield warning(
      'The audit trail is kept for less time than the backups: after a restore `--replaces` cannot list everything that is undone.',
      'Set AUDIT_KEEP_DAYS to more than BACKUP_EVERY times BACKUP_KEEP.',
    )
  }
}
