import Joi, { type Schema } from 'joi'
import type { ConversationLine } from '../interface/audience.js'
import { AMOUNT, BIRTHDAY, type FieldCheck, FLAG, ID, INSTANT, NAME, PICTURE } from './field-checks.js'

/** The SQL that merges a row's value of a field into a stored conversation. */
export const MERGES = { replace: (column: string) => `excluded.${column}` }

interface Field {
  column: string
  type: 'text' | 'bigint' | 'numeric'
  check: FieldCheck
  merge: keyof typeof MERGES
  /** For a decimal: the column with the same value as a double, which lists read and sort by. */
  double?: string
  /** The value to store if a line clears the field or a new conversation lacks it; null by default. */
  empty?: number
  /** A line without the field is rejected. */
  isRequired?: true
  /** The schema of the field in the rows of GET /vip-users, if they have it. */
  shown?: Schema
  /** Sources may send it as a profile field; the newest value wins (live/). */
  isProfile?: true
  /** Rows in compact mode include it too. */
  isCompact?: true
}

const text = Joi.string()
const instant = Joi.number().integer()
const describedInstant = instant.description('Milliseconds since the epoch, as in every timestamp.')
const birthday = text
  .pattern(/^(\d{4}|-)-\d{2}-\d{2}$/)
  .description('`YYYY-MM-DD`, or `--MM-DD` if the year is unknown.')

/**
 * The fields of a conversation, by their names in JSON and in CSV headers, in the order of interface 2.1. Import, export,
 * list and change log, including their SQL, are derived from this table. A new field needs a line here, a migration, and a
 * property of the public type, which the compiler demands. Erasure needs nothing, because it deletes whole rows.
 */
// biome-ignore format: a table
export const FIELDS = {
  conversationId: { column: 'conversation_id', type: 'text', check: ID, merge: 'replace', isRequired: true, shown: text.required(), isCompact: true },
  userName: { column: 'user_name', type: 'text', check: NAME, merge: 'replace', isProfile: true, shown: text },
  firstName: { column: 'first_name', type: 'text', check: NAME, merge: 'replace', isProfile: true, shown: text },
  lastName: { column: 'last_name', type: 'text', check: NAME, merge: 'replace', isProfile: true, shown: text },
  cuid: { column: 'cuid', type: 'text', check: ID, merge: 'replace', isRequired: true, shown: text.required(), isCompact: true },
  profilePic: { column: 'profile_pic', type: 'text', check: PICTURE, merge: 'replace', isProfile: true, shown: text },
  birthday: { column: 'birthday', type: 'text', check: BIRTHDAY, merge: 'replace', isProfile: true, shown: birthday, isCompact: true },
  lastPurchaseTimestamp: { column: 'last_purchase_at_ms', type: 'bigint', check: INSTANT, merge: 'replace', shown: describedInstant },
  lastUserMessageTimestamp: { column: 'last_user_message_at_ms', type: 'bigint', check: INSTANT, merge: 'replace', shown: instant },
  lastAppOpenTimestamp: { column: 'last_app_open_at_ms', type: 'bigint', check: INSTANT, merge: 'replace', shown: instant },
  lifetimeValue: { column: 'lifetime_amount', type: 'numeric', check: AMOUNT, merge: 'replace', empty: 0, double: 'lifetime_value' },
} as const satisfies Record<Exclude<keyof ConversationLine, 'vip' | 'lifetimeValueAt'>, Field>

/** The lifetime value in lists for people. The rows of `GET /vip-users` do not include it. */
export const valueFields = { lifetimeValue: Joi.number().required() }
export const toValueFields = (value: number): { lifetimeValue: number } => ({ lifetimeValue: value })

type Fields = typeof FIELDS
type FieldName = keyof Fields
type Value<F> = F extends { type: 'text' } ? string : number
type Empty<F> = F extends { isRequired: true } ? never : F extends { empty: number } ? never : null

/** A conversation as it is stored. Instants are in milliseconds since the epoch. */
export type StoredConversation = {
  [N in FieldName as Fields[N]['column']]: Value<Fields[N]> | Empty<Fields[N]>
}

/** A conversation as a writer passes it: an absent column keeps its stored value. */
export type ConversationRow = Pick<StoredConversation, 'conversation_id' | 'cuid'> &
  Partial<StoredConversation> & {
    /** True if it is a VIP of the workspace that the writer specifies. */
    vip?: boolean
    /** The time at which the lifetime value was correct; defaults to the time of the import. */
    opening_at_ms?: number | null
  }

export const FIELD_LIST = Object.entries(FIELDS).map(([name, field]) => ({ ...(field as Field), name })) as (Field & {
  name: FieldName
  column: keyof StoredConversation
})[]

/** The schemas of all fields of a conversation in a response. */
export const conversationFields = Object.fromEntries(
  FIELD_LIST.map(({ name, type, isRequired, empty }) => {
    if (isRequired) return [name, Joi.string().required()]
    const value = (type === 'text' ? Joi.string().allow('') : Joi.number()).required()
    return [name, empty === undefined ? value.allow(null) : value]
  }),
)

/** The values of a stored conversation, in the order of the fields. */
export type PackedConversation = readonly (string | number | null)[]

export const packConversation = (row: StoredConversation): PackedConversation =>
  FIELD_LIST.map(({ column }) => row[column])

/** The fields that a line of an import may have: those of a conversation, the time of its value, and its VIP mark. */
export const LINE_FIELDS: Readonly<
  Record<
    keyof ConversationLine,
    Pick<Field, 'check' | 'isRequired'> & {
      column: keyof ConversationRow
      empty?: unknown
      /** The field requires this other one. */
      needs?: keyof ConversationLine
    }
  >
> = {
  ...FIELDS,
  lifetimeValueAt: { column: 'opening_at_ms', check: INSTANT, needs: 'lifetimeValue' },
  vip: { column: 'vip', check: FLAG, empty: false },
}

/** The profile fields, by their names in JSON. */
export type ProfileField = {
  [N in FieldName]: Fields[N] extends { isProfile: true } ? N : never
}[FieldName]

export const PROFILE_FIELDS = FIELD_LIST.filter(({ isProfile }) => isProfile)

export const REQUIRED_FIELDS = FIELD_LIST.filter(({ isRequired }) => isRequired)

/** Returns the column list of a select that reads stored conversations. */
export const selectedColumns = (table: string): string =>
  FIELD_LIST.map(({ column, double = column }) => `${table}.${double} as ${column}`).join(', ')
