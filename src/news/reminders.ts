import { DatabaseUnavailableError } from '../database/database.js'
import type { Context } from '../http/context.js'
import { recordEvent } from './events.store.js'
import { countForPeople } from './mails/mails.store.js'
import {
  hasDueReminders,
  type OperatorTokenReminder,
  takeKeyReminders,
  takeOperatorTokenReminders,
} from './reminders.store.js'
import { seldom } from './seldom.js'

const LOOK_EVERY_MS = 10 * 60_000
const AT_ONCE = 100

type Needs = Pick<Context, 'config' | 'log' | 'clock' | 'database'>

/**
 * Sends reminders about expiring keys as an event of their organization, and about operator tokens to the log and, if
 * emails are sent, by email to the owners. Looks at most every ten minutes. A failure is logged and does not end the
 * round.
 */
export function createReminders({ config, log, clock, database }: Needs, sendsMails: boolean): () => Promise<void> {
  const keyMaxAgeMs = config.access.keyMaxAgeMs ?? null
  const tokenMaxAgeMs = config.access.operatorTokenMaxAgeMs ?? null

  async function remindOfKeys(now: Date): Promise<void> {
    for (let isMore = true; isMore; ) {
      isMore = await database.transaction(async (tx) => {
        const due = await takeKeyReminders(tx, { now, maxAgeMs: keyMaxAgeMs }, AT_ONCE)
        for (const { organization_id: organizationId, key_id: keyId, ends_at: endsAt } of due) {
          const data = { keyId, expiresAt: endsAt.toISOString() }
          await recordEvent(tx, { organizationId, type: 'key.expiring', at: now, data })
        }
        return due.length === AT_ONCE
      })
    }
  }

  async function remindOfTokens(now: Date): Promise<void> {
    const due = await database.transaction(async (tx) => {
      const taken = await takeOperatorTokenReminders(tx, { now, maxAgeMs: tokenMaxAgeMs }, AT_ONCE)
      for (const { name, ends_at: endsAt } of sendsMails ? taken : []) {
        const item = { at: now.toISOString(), name, endsAt: endsAt.toISOString() }
        await countForPeople(tx, 'owners', 'operator-token-expiring', { item, at: now, now })
      }
      return taken
    })
    due.forEach(warn)
  }

  function warn({ name, ends_at: endsAt, days }: OperatorTokenReminder): void {
    log.warn({ operatorToken: name, expiresAt: endsAt.toISOString(), days }, 'an operator token expires soon')
  }

  return seldom(clock, LOOK_EVERY_MS, async (now) => {
    const at = new Date(now)
    try {
      const { ofKeys, ofTokens } = await hasDueReminders(database, { now: at, keyMaxAgeMs, tokenMaxAgeMs })
      if (ofKeys) await remindOfKeys(at)
      if (ofTokens) await remindOfTokens(at)
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error
      log.error({ err: error }, 'cannot send reminders about expiring keys and tokens')
    }
  })
}
