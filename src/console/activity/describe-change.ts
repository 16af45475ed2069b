import type { ChannelRole } from '../../interface/generated/types.ts'
import { fileKind } from '../posts/file-facts.ts'
import { formatInstant } from '../times.ts'
import { list } from '../wording.ts'
import { settings, webhooks, activity as words } from '../words.ts'

const VALUE_CHARS = 120
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Translations of field values that come from a fixed set. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  role: settings.roles,
  permissions: settings.permissions,
  events: webhooks.events,
  automation: settings.superpowerModes,
  rolesMissing: words.rolesMissing,
}

/** Describes the change of a field, with the previous value if known: `role: Editor → Administrator`. */
export function describeChange(name: string, value: unknown, before: unknown, timeZone: string): string {
  const after = toText(name, value, timeZone)
  const was = before === undefined ? after : toText(name, before, timeZone)
  const field = nameOfField(name)
  return was === after
    ? words.change({ name: field, value: after })
    : words.changed({ name: field, before: was, after })
}

/** Fields without a translation are spelled out: `verifyToken` becomes `verify token`. */
const nameOfField = (name: string): string => (words.fields as Readonly<Record<string, string>>)[name] ?? inWords(name)

export const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function toText(name: string, value: unknown, timeZone: string): string {
  if (value === null || (Array.isArray(value) && value.length === 0) || value === '') return words.noValue
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return cut(list(value.map((one) => toText(name, one, timeZone))))
  if (isChannelRole(value)) return toRoleText(value)
  if (typeof value !== 'string') return cut(JSON.stringify(value))
  if (name === 'contentType') return fileKind(value)
  if (INSTANT.test(value)) return formatInstant(value, timeZone, 'short')
  return VALUES[name]?.[value] ?? cut(value)
}

const cut = (text: string): string => (text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS)}…`)

const isChannelRole = (value: unknown): value is ChannelRole =>
  typeof value === 'object' && value !== null && 'channelId' in value && 'mayApprove' in value

const toRoleText = ({ channelId, role, mayApprove }: ChannelRole): string =>
  `${channelId}: ${settings.roles[role]}${mayApprove ? ` · ${settings.approves}` : ''}`
