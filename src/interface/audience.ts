import type { VipUser } from './generated/types.js'

/** The sort orders of the console's list of people: highest value, first name or latest time first. */
export const AUDIENCE_SORTS = ['value', 'name', 'lastPurchase', 'lastMessage', 'birthday'] as const
export type AudienceSort = (typeof AUDIENCE_SORTS)[number]

/**
 * One line of an import: the fields of interface 2.1, `lifetimeValue` and `vip`. An absent field keeps the stored
 * value; null clears it.
 */
export interface ConversationLine extends Names, Nullable<Omit<VipUser, keyof Names>> {
  lifetimeValue?: number | null
  /**
   * The time at which `lifetimeValue` was correct; the time of the import by default. Only sent with `lifetimeValue`.
   */
  lifetimeValueAt?: number | null
  vip?: boolean | null
}

type Names = Pick<VipUser, 'conversationId' | 'cuid'>
type Nullable<Fields> = { [Name in keyof Fields]: Fields[Name] | null }
