/** A conversation of a channel as a test knows it. Absent and null fields are equal. */
export interface KnownConversation {
  conversationId: string
  cuid: string
  userName: string | null
  firstName: string | null
  lastName: string | null
  profilePic: string | null
  birthday: string | null
  lastPurchaseTimestamp: number | null
  lastUserMessageTimestamp: number | null
  lastAppOpenTimestamp: number | null
  lifetimeValue: number
  vipOf: string[]
}

export interface VipUserScan {
  workspaceId: string
  scope: 'vip' | 'all'
  hasBirthday: boolean
  birthdayMonth: number | undefined
  compact: boolean
  limit: number
  offset: number
  /** interface 8: the scan guardrail. */
  scanRowsMax: number
}

/**
 * The response that interface 4.1 demands of GET /vip-users for a channel with these conversations, computed by a filter
 * and a sort over an array, without production code.
 */
export function scanVipUsers(channel: readonly KnownConversation[], query: VipUserScan) {
  const scanned = channel
    .filter(({ vipOf }) => query.scope === 'all' || vipOf.includes(query.workspaceId))
    .sort((a, b) => b.lifetimeValue - a.lifetimeValue || compareBytes(a.conversationId, b.conversationId))
    .slice(0, query.scanRowsMax)
  const matching = scanned
    .filter(({ birthday }) => !query.hasBirthday || birthday !== null)
    .filter(({ birthday }) => query.birthdayMonth === undefined || monthOf(birthday) === query.birthdayMonth)
  const items = matching.slice(query.offset, query.offset + query.limit).map(query.compact ? toCompactItem : toItem)
  return {
    items,
    returned: items.length,
    total: matching.length,
    mayHaveMore: query.offset + items.length < matching.length,
    nextOffset: query.offset + items.length,
    scanCapped: channel.length > query.scanRowsMax,
  }
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** In YYYY-MM-DD and --MM-DD the month precedes the last dash. */
const monthOf = (birthday: string | null): number | undefined =>
  birthday === null ? undefined : Number(birthday.split('-').at(-2))

const toItem = ({ lifetimeValue: _, vipOf: __, ...shown }: KnownConversation): object =>
  Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))

const toCompactItem = ({ conversationId, cuid, birthday }: KnownConversation): object =>
  birthday === null ? { conversationId, cuid } : { conversationId, cuid, birthday }
