import { makesBackups } from '../backup/storage/open-storage.js'
import type { Config } from '../config.js'
import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { listTasks } from '../retention/housekeeping.store.js'
import { tasksOf } from '../retention/retention.js'
import { type Finding, ok, warning } from './finding.js'

const DAY_MS = 86_400_000

/** Checks that retention is done where it is set, and that the audit trail is as long as a restore needs it. */
export async function checkRetention(database: Database, config: Readonly<Config>, clock: Clock): Promise<Finding[]> {
  const tasks = tasksOf(config)
  if (tasks.length === 0) return []
  const rows = new Map((await listTasks(database)).map((row) => [row.task, row]))
  const late = tasks.filter(({ name }) => clock.now() - (rows.get(name)?.next_at.getTime() ?? clock.now()) > DAY_MS)
  const { audit } = config.retention
  const backupsMs = makesBackups(config) ? config.backupEveryMs * config.backupKeep : 0
  const findings = late.map(({ name }) =>
    warning(
      'retention',
      `What is kept too long (${name}) has not been removed for more than a day.`,
      'See the log of the service; where the roles are split, publishers and workers do it: give them these settings too.',
    ),
  )
  if (audit !== undefined && audit.keepMs < backupsMs) {
    findings.push(
      warning(
        'retention',
        'The audit trail is kept for less time than the backups: after a restore `--replaces` cannot name all that is undone.',
        'Set AUDIT_KEEP_DAYS to more than BACKUP_EVERY times BACKUP_KEEP.',
      ),
    )
  }
  return findings.length > 0
    ? findings
    : [ok('retention', `It is set for ${tasks.map(({ name }) => name).join(', ')}.`)]
}
