import { beforeAll, beforeEach } from 'vitest'
import { upsertConversations } from '../src/audience/conversations.store.js'
import type { ConversationRow } from '../src/audience/fields.js'
import { readAudienceChanges, readAudienceRevision } from '../src/audience/list/change-log.store.js'
import type { Database, Queryable } from '../src/database/database.js'
import type { ChannelKey } from '../src/http/snapshot.js'
import { startTestApp, Tenant, type TestApp } from './harness.js'

/** Gives each test of a file its own channel, writes its conversations and reads its changes. */
export class ChangeLogStage {
  testApp!: TestApp
  database!: Database
  tenant!: Tenant
  workspaceId!: string
  key!: ChannelKey

  constructor() {
    beforeAll(async () => {
      this.testApp = await startTestApp()
      this.database = this.testApp.context.database
    })
    beforeEach(async () => {
      this.tenant = await Tenant.create(this.testApp)
      this.workspaceId = await this.tenant.workspace('VIP')
      await this.useNewChannel()
    })
  }

  /** The channel as the target of a write that may mark VIPs. */
  get target(): ChannelKey & { workspaceId: string } {
    return { ...this.key, workspaceId: this.workspaceId }
  }

  useNewChannel = async (): Promise<void> => {
    this.key = {
      organizationId: this.tenant.organizationId,
      channelId: await this.tenant.channel([this.workspaceId]),
    }
  }

  write = (...rows: ConversationRow[]) => this.database.transaction((tx) => upsertConversations(tx, this.target, rows))

  revision = async (): Promise<number> => (await readAudienceRevision(this.database, this.key)).revision

  /** Runs SQL on the channel: $1 is the organization, $2 the channel. */
  sql = (text: string, values: unknown[] = [], on: Queryable = this.database) =>
    on.query(text, [this.key.organizationId, this.key.channelId, ...values])

  readChanges = async (on: Queryable, channel: ChannelKey, since: number) =>
    (await readAudienceChanges(on, [{ channel, since }]))[0]!

  /** Returns the ids of the conversations that changed after the revision. */
  touchedSince = async (since: number): Promise<'all' | string[]> => {
    const { changed } = await this.readChanges(this.database, this.key, since)
    return changed === 'all' ? changed : changed.map(({ conversationId }) => conversationId).sort()
  }
}

export const row = (id: string, value = 0, vip?: boolean): ConversationRow => ({
  conversation_id: id,
  cuid: `u-${id}`,
  lifetime_amount: value,
  ...(vip === undefined ? {} : { vip }),
})
